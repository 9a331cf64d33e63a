/*
 * Eraser, as Letko tells it (2.1.1): each variable has a set C(v) of locks that were held at all of
 * its accesses so far, and states that leave out what is done before a second thread comes.
 *
 * Read-write locks are treated as in the original: a read needs some lock in any mode, a write one
 * in exclusive mode. So a read takes from C(v) what is not held at all, a write what is not
 * held exclusively. The first access of all makes a variable Exclusive, read or write: what came
 * before, in parts of the program that are not recorded, nobody knows.
 */
#include <stdlib.h>

#include "engine/common/engine.h"
#include "engine/race/past.h"

enum state { VIRGIN, EXCLUSIVE, SHARED, SHARED_MODIFIED };

struct cell {
    uint32_t set; /* C(v) */
    /* The last access: another one of the same kind changes nothing. */
    uint32_t thread;
    uint32_t holding;
    uint8_t seen;
    uint8_t state;
    uint8_t reported;
    uint8_t unused;
    struct darn_past past;
};

struct eraser {
    struct darn_racebase base; /* first */
};

struct visit {
    struct eraser *eraser;
    const struct darn_event *event;
    uint32_t holding;
    struct darn_access reported;
};

static size_t more(const struct darn_racebase *base)
{
    (void)base;
    return sizeof(struct eraser);
}

static void *create(const struct darn_engine_config *config)
{
    const struct darn_shadow_type type = {.size = sizeof(struct cell), .merge = true};
    struct eraser *eraser = calloc(1, sizeof(*eraser));

    if (eraser && !darn_racebase_open(&eraser->base, config, &type, more)) {
        darn_racebase_close(&eraser->base);
        free(eraser);
        return NULL;
    }
    return eraser;
}

static void destroy(void *state)
{
    struct eraser *eraser = state;

    darn_racebase_close(&eraser->base);
    free(eraser);
}

static bool is_known(const struct cell *cell, const struct darn_event *event, uint32_t holding)
{
    return cell->seen & darn_seen(event) && cell->thread == event->thread &&
           cell->holding == holding;
}

/* C(v) := C(v) ∩ the locks that count for this access. */
static void refine(struct eraser *eraser, struct cell *cell, const struct darn_access *access)
{
    uint32_t set = darn_holding_set(eraser->base.held, access->holding);

    if (darn_access_writes(access))
        set = darn_lockset_exclusive(eraser->base.sets, set);
    cell->set = darn_lockset_intersect(eraser->base.sets, cell->set, set);
}

static void on_news(struct visit *visit, struct cell *cell, uint64_t address)
{
    struct darn_access access = darn_past_access(visit->event, visit->holding, address);
    bool same = cell->thread == visit->event->thread;
    bool was_exclusive = cell->state == EXCLUSIVE;

    if (cell->state == VIRGIN) {
        cell->state = EXCLUSIVE;
        cell->set = DARN_LOCKSET_ALL;
    } else if (cell->state != EXCLUSIVE || !same) {
        if (cell->state != SHARED_MODIFIED)
            cell->state = darn_access_writes(&access) ? SHARED_MODIFIED : SHARED;
        refine(visit->eraser, cell, &access);
    }
    if (cell->state == SHARED_MODIFIED && cell->set == DARN_LOCKSET_EMPTY && !cell->reported) {
        cell->reported = 1;
        darn_past_report(&visit->eraser->base, &cell->past, &access, address, &visit->reported);
    }
    if (was_exclusive && !same)
        darn_past_share(&cell->past, &access, cell->thread);
    else
        darn_past_add(&cell->past, &access);
    if (!same || cell->holding != visit->holding)
        cell->seen = 0;
    cell->thread = visit->event->thread;
    cell->holding = visit->holding;
    cell->seen |= darn_seen(visit->event);
}

static void on_cell(void *to, void *memory, uint64_t address)
{
    struct visit *visit = to;
    struct cell *cell = memory;

    if (!is_known(cell, visit->event, visit->holding))
        on_news(visit, cell, address);
}

static void on_access(struct eraser *eraser, const struct darn_event *event)
{
    struct visit visit = {.eraser = eraser,
                          .event = event,
                          .holding = darn_held_holding(eraser->base.held, event->thread)};

    if (!darn_racebase_is_variable(&eraser->base, event))
        return;
    darn_shadow_pass(eraser->base.shadow, event, on_cell, &visit);
}

static void on_event(void *state, const struct darn_event *event)
{
    struct eraser *eraser = state;

    switch (event->kind) {
    case DARN_EVENT_READ:
    case DARN_EVENT_WRITE:
    case DARN_EVENT_UPDATE:
        on_access(eraser, event);
        break;
    case DARN_EVENT_ALLOC:
    case DARN_EVENT_FREE:
        darn_racebase_measure(&eraser->base);
        darn_shadow_forget(eraser->base.shadow, event->target, event->extra);
        break;
    default:
        darn_held_event(eraser->base.held, event);
        break;
    }
    darn_racebase_count(&eraser->base);
}

const struct darn_engine darn_engine_eraser = {
    .name = "eraser",
    .help = "races by lockset: no lock was held at all accesses of a variable that is shared",
    .create = create,
    .event = on_event,
    .finish = darn_racebase_finish,
    .predictions = darn_racebase_predictions,
    .dynamic = darn_racebase_dynamic,
    .cost = darn_racebase_cost,
    .destroy = destroy,
};
