/*
 * Eraser+ (Letko 4.1): Eraser with two remedies for its false alarms.
 *
 * Ownership: the second thread that comes to a variable is taken for its new owner (Exclusive2),
 * and C(v) is refined from the third on, which may be the first again.
 *
 * Joins: S(t) are the threads that t has joined, with all that they had joined; T(v) are the
 * threads that have touched v. When a thread comes with T(v) ⊆ S(t) ∪ {t}, it is the last one alive
 * of those, and v becomes its own: Exclusive2, with all locks in C(v) and T(v) = {t}. How this is
 * kept: teams.h. In state Exclusive it would always be so for the owner, and would spend the
 * ownership that is still to come; so there the rule is left to the other threads, for whom it only
 * changes T(v).
 *
 * A thread does not inherit S from its creator: Letko's rule is about joins alone.
 */
#include <stdlib.h>

#include "engine/common/engine.h"
#include "engine/race/past.h"
#include "engine/race/teams.h"

enum state { VIRGIN, EXCLUSIVE, EXCLUSIVE2, SHARED, SHARED_MODIFIED };

struct cell {
    uint32_t set; /* C(v) */
    /* The last access: another one of the same kind changes nothing, if nobody was joined since. */
    uint32_t thread;
    uint32_t holding;
    uint32_t joins;
    uint8_t seen;
    uint8_t state;
    uint8_t reported;
    uint8_t unused[5];
    struct darn_team *team; /* T(v); NULL: only `thread` */
    struct darn_past past;
};

struct plus {
    struct darn_racebase base; /* first */
    struct darn_teams *teams;
    uint32_t joins; /* so far */
};

struct visit {
    struct plus *plus;
    const struct darn_event *event;
    uint32_t holding;
    struct darn_access reported;
};

static size_t more(const struct darn_racebase *base)
{
    const struct plus *plus = (const struct plus *)base;

    return sizeof(*plus) + darn_teams_memory(plus->teams);
}

static void copy_cell(void *context, void *memory)
{
    struct cell *cell = memory;

    (void)context;
    darn_team_share(cell->team);
}

static void drop_cell(void *context, void *memory)
{
    struct plus *plus = context;
    struct cell *cell = memory;

    darn_team_leave(plus->teams, cell->team);
}

static void destroy(void *state)
{
    struct plus *plus = state;

    darn_racebase_close(&plus->base);
    darn_teams_destroy(plus->teams);
    free(plus);
}

static void *create(const struct darn_engine_config *config)
{
    struct plus *plus = calloc(1, sizeof(*plus));
    const struct darn_shadow_type type = {.size = sizeof(struct cell),
                                          .copy = copy_cell,
                                          .drop = drop_cell,
                                          .context = plus,
                                          .merge = true};

    if (!plus)
        return NULL;
    plus->teams = darn_teams_create();
    if (!darn_racebase_open(&plus->base, config, &type, more) || !plus->teams) {
        destroy(plus);
        return NULL;
    }
    return plus;
}

static bool is_known(const struct plus *plus, const struct cell *cell,
                     const struct darn_event *event, uint32_t holding)
{
    return cell->seen & darn_seen(event) && cell->thread == event->thread &&
           cell->holding == holding && cell->joins == plus->joins;
}

/* T(v) := T(v) ∪ {t}, or {t} if t has joined all others; the answer is whether it has. */
static bool come(struct plus *plus, struct cell *cell, uint32_t thread)
{
    if (!cell->team && cell->thread == thread)
        return true;
    if (!cell->team)
        cell->team = darn_team_create(plus->teams, cell->thread);
    cell->team = darn_team_come(plus->teams, cell->team, thread);
    return !cell->team;
}

static void become_owner(struct cell *cell)
{
    cell->state = EXCLUSIVE2;
    cell->set = DARN_LOCKSET_ALL;
    cell->reported = 0;
    cell->past = (struct darn_past){0};
}

static void refine(struct plus *plus, struct cell *cell, const struct darn_access *access)
{
    uint32_t set = darn_holding_set(plus->base.held, access->holding);

    if (darn_access_writes(access))
        set = darn_lockset_exclusive(plus->base.sets, set);
    cell->set = darn_lockset_intersect(plus->base.sets, cell->set, set);
}

/* The state of a variable after an access that is not the first one. */
static void advance(struct plus *plus, struct cell *cell, const struct darn_access *access)
{
    bool same = cell->thread == darn_past_thread(access), is_last;

    if (cell->state == EXCLUSIVE && same)
        return;
    is_last = come(plus, cell, darn_past_thread(access));
    if (is_last) {
        if (!same || cell->state > EXCLUSIVE2)
            become_owner(cell);
        return;
    }
    if (cell->state == EXCLUSIVE) {
        cell->state = EXCLUSIVE2;
        return;
    }
    if (cell->state == EXCLUSIVE2 && same)
        return;
    if (cell->state != SHARED_MODIFIED)
        cell->state = darn_access_writes(access) ? SHARED_MODIFIED : SHARED;
    refine(plus, cell, access);
}

static void on_news(struct visit *visit, struct cell *cell, uint64_t address)
{
    struct plus *plus = visit->plus;
    struct darn_access access = darn_past_access(visit->event, visit->holding, address);
    bool was_shared = cell->state >= SHARED;

    if (cell->state == VIRGIN) {
        cell->state = EXCLUSIVE;
        cell->set = DARN_LOCKSET_ALL;
    } else {
        advance(plus, cell, &access);
    }
    if (cell->state == SHARED_MODIFIED && cell->set == DARN_LOCKSET_EMPTY && !cell->reported) {
        cell->reported = 1;
        darn_past_report(&plus->base, &cell->past, &access, address, &visit->reported);
    }
    if (!was_shared && cell->state >= SHARED)
        darn_past_share(&cell->past, &access, cell->thread);
    else
        darn_past_add(&cell->past, &access);
    if (cell->thread != visit->event->thread || cell->holding != visit->holding)
        cell->seen = 0;
    cell->thread = visit->event->thread;
    cell->holding = visit->holding;
    cell->joins = plus->joins;
    cell->seen |= darn_seen(visit->event);
}

static void on_cell(void *to, void *memory, uint64_t address)
{
    struct visit *visit = to;
    struct cell *cell = memory;

    if (!is_known(visit->plus, cell, visit->event, visit->holding))
        on_news(visit, cell, address);
}

static void on_access(struct plus *plus, const struct darn_event *event)
{
    struct visit visit = {
        .plus = plus, .event = event, .holding = darn_held_holding(plus->base.held, event->thread)};

    if (!darn_racebase_is_variable(&plus->base, event))
        return;
    darn_shadow_pass(plus->base.shadow, event, on_cell, &visit);
}

static void on_event(void *state, const struct darn_event *event)
{
    struct plus *plus = state;

    switch (event->kind) {
    case DARN_EVENT_READ:
    case DARN_EVENT_WRITE:
    case DARN_EVENT_UPDATE:
        on_access(plus, event);
        break;
    case DARN_EVENT_ALLOC:
    case DARN_EVENT_FREE:
        darn_racebase_measure(&plus->base);
        darn_shadow_forget(plus->base.shadow, event->target, event->extra);
        break;
    case DARN_EVENT_JOIN:
        plus->joins++;
        darn_teams_join(plus->teams, event->thread, (uint32_t)event->target);
        break;
    default:
        darn_held_event(plus->base.held, event);
        break;
    }
    darn_racebase_count(&plus->base);
}

static struct darn_engine_cost cost(const void *state)
{
    const struct plus *plus = state;
    struct darn_engine_cost cost = darn_racebase_cost(state);

    cost.dropped += darn_teams_crowds(plus->teams);
    return cost;
}

const struct darn_engine darn_engine_eraser_plus = {
    .name = "eraser+",
    .help = "eraser with ownership and joins: fewer false alarms, and a few races less",
    .create = create,
    .event = on_event,
    .finish = darn_racebase_finish,
    .predictions = darn_racebase_predictions,
    .dynamic = darn_racebase_dynamic,
    .cost = cost,
    .destroy = destroy,
};
