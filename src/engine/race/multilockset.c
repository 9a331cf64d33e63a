/*
 * The multilockset algorithm (Wang & Stoller 5.4, figure 3; the sets are in phase.h): a variable
 * has one set of locks for its writes and several for its reads, and accesses in periods that are
 * in order by fork, join and barriers do not race.
 *
 * Wang & Stoller leave out what a thread does with an object before it escapes, and find out by
 * looking at each store of a reference. In C an address can be stored as anything, and we see it
 * neither in registers nor in code that is not recorded. What we do instead:
 *  - a variable in a block that the same thread has allocated has not escaped until another thread
 *    touches it. This is a guess: a race with what the first thread did between handing out
 *    the address and the first access of another thread is missed;
 *  - all other memory, that is globals, stacks and blocks of other threads, has escaped from the
 *    beginning, as static fields have. What a program sets up there before it starts threads does
 *    no harm, for it is a phase of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/common/blocks.h"
#include "engine/common/engine.h"
#include "engine/race/phase.h"
#include "engine/race/racebase.h"

enum state { VIRGIN, OWN, ESCAPED };

struct cell {
    struct darn_phase *phase;
    /* The last access: another one of the same kind changes nothing. */
    darn_epoch epoch; /* in state OWN: the number of the owner */
    uint32_t holding;
    uint8_t seen;
    uint8_t state;
    uint8_t unused[2];
};

struct multi {
    struct darn_racebase base; /* first */
    struct darn_periods *periods;
    struct darn_phases *phases;
    struct darn_blocks *blocks;
};

struct visit {
    struct multi *multi;
    const struct darn_event *event;
    darn_epoch epoch;
    uint32_t holding;
    struct darn_access reported;
};

static size_t more(const struct darn_racebase *base)
{
    const struct multi *multi = (const struct multi *)base;

    return sizeof(*multi) + darn_periods_memory(multi->periods) +
           darn_phases_memory(multi->phases) + darn_blocks_memory(multi->blocks);
}

static void copy_cell(void *context, void *memory)
{
    struct cell *cell = memory;

    (void)context;
    darn_phase_share(cell->phase);
}

static void drop_cell(void *context, void *memory)
{
    struct multi *multi = context;
    struct cell *cell = memory;

    darn_phase_leave(multi->phases, cell->phase);
}

static void destroy(void *state)
{
    struct multi *multi = state;

    if (multi->base.shadow)
        darn_shadow_destroy(multi->base.shadow);
    multi->base.shadow = NULL;
    darn_phases_destroy(multi->phases);
    darn_periods_destroy(multi->periods);
    darn_blocks_destroy(multi->blocks);
    darn_racebase_close(&multi->base);
    free(multi);
}

static void *create(const struct darn_engine_config *config)
{
    struct multi *multi = calloc(1, sizeof(*multi));
    const struct darn_shadow_type type = {.size = sizeof(struct cell),
                                          .copy = copy_cell,
                                          .drop = drop_cell,
                                          .context = multi,
                                          .merge = true};
    bool opened;

    if (!multi)
        return NULL;
    opened = darn_racebase_open(&multi->base, config, &type, more);
    multi->periods = darn_periods_create();
    multi->blocks = darn_blocks_create();
    if (opened && multi->periods)
        multi->phases = darn_phases_create(multi->base.sets, multi->base.held, multi->periods);
    if (!multi->phases || !multi->blocks) {
        destroy(multi);
        return NULL;
    }
    return multi;
}

static struct darn_event event_of(const struct multi *multi, const struct darn_access *access,
                                  uint64_t address)
{
    struct darn_period period = {darn_epoch_slot(access->epoch), darn_epoch_time(access->epoch)};
    struct darn_event event = darn_access_event(access, address);

    event.thread = darn_periods_thread(multi->periods, period);
    return event;
}

static void report(struct visit *visit, const struct darn_phase_pair *pair, uint64_t address)
{
    struct multi *multi = visit->multi;
    struct darn_event earlier = event_of(multi, &pair->earlier, address);
    struct darn_event later = event_of(multi, &pair->later, address);

    if (memcmp(&visit->reported, &pair->earlier, sizeof(pair->earlier)) == 0)
        return;
    visit->reported = pair->earlier;
    darn_racebase_report(&multi->base, address, &earlier, pair->earlier.holding, &later,
                         pair->later.holding);
}

/* Whether the access is to memory that only its thread can know. */
static bool is_own(struct visit *visit, struct cell *cell, uint64_t address)
{
    uint32_t owner;

    if (cell->state == VIRGIN) {
        cell->state = ESCAPED;
        if (darn_blocks_find(visit->multi->blocks, address, &owner) &&
            owner == visit->event->thread) {
            cell->state = OWN;
            cell->epoch = owner;
        }
    } else if (cell->state == OWN && cell->epoch != visit->event->thread) {
        cell->state = ESCAPED;
    }
    return cell->state == OWN;
}

static void on_news(struct visit *visit, struct cell *cell, uint64_t address)
{
    struct darn_access access =
        darn_access_pack(visit->event, visit->epoch, visit->holding, false, address);
    struct darn_phase_pair pair;
    bool races;

    cell->phase = darn_phase_next(visit->multi->phases, cell->phase, &access, visit->event->thread,
                                  &races, &pair);
    if (races)
        report(visit, &pair, address);
    if (cell->epoch != visit->epoch || cell->holding != visit->holding)
        cell->seen = 0;
    cell->epoch = visit->epoch;
    cell->holding = visit->holding;
    cell->seen |= darn_seen(visit->event);
}

static void on_cell(void *to, void *memory, uint64_t address)
{
    struct visit *visit = to;
    struct cell *cell = memory;

    if (cell->seen & darn_seen(visit->event) && cell->epoch == visit->epoch &&
        cell->holding == visit->holding)
        return;
    if (cell->state != ESCAPED && is_own(visit, cell, address))
        return;
    on_news(visit, cell, address);
}

static void on_access(struct multi *multi, const struct darn_event *event)
{
    struct darn_period now = darn_periods_now(multi->periods, event->thread);
    struct visit visit = {.multi = multi,
                          .event = event,
                          .epoch = darn_epoch_make(now.slot, now.index),
                          .holding = darn_held_holding(multi->base.held, event->thread)};

    if (!darn_racebase_is_variable(&multi->base, event))
        return;
    darn_shadow_pass(multi->base.shadow, event, on_cell, &visit);
}

static void on_memory(struct multi *multi, const struct darn_event *event)
{
    darn_racebase_measure(&multi->base);
    darn_shadow_forget(multi->base.shadow, event->target, event->extra);
    darn_periods_event(multi->periods, event);
    if (event->kind == DARN_EVENT_ALLOC)
        darn_blocks_add(multi->blocks, event->target, event->extra, event->thread);
    else
        darn_blocks_remove(multi->blocks, event->target);
}

static void on_event(void *state, const struct darn_event *event)
{
    struct multi *multi = state;

    switch (event->kind) {
    case DARN_EVENT_READ:
    case DARN_EVENT_WRITE:
    case DARN_EVENT_UPDATE:
        on_access(multi, event);
        break;
    case DARN_EVENT_ALLOC:
    case DARN_EVENT_FREE:
        on_memory(multi, event);
        break;
    case DARN_EVENT_ACQUIRE:
    case DARN_EVENT_RELEASE:
        darn_held_event(multi->base.held, event);
        break;
    default:
        darn_held_event(multi->base.held, event);
        darn_periods_event(multi->periods, event);
        break;
    }
    darn_racebase_count(&multi->base);
}

static struct darn_engine_cost cost(const void *state)
{
    const struct multi *multi = state;
    struct darn_engine_cost cost = darn_racebase_cost(state);

    cost.dropped += darn_periods_degraded(multi->periods);
    return cost;
}

const struct darn_engine darn_engine_multilockset = {
    .name = "multilockset",
    .help = "races by several locksets for each variable, not ordered by fork, join or barriers",
    .create = create,
    .event = on_event,
    .finish = darn_racebase_finish,
    .predictions = darn_racebase_predictions,
    .dynamic = darn_racebase_dynamic,
    .cost = cost,
    .destroy = destroy,
};
