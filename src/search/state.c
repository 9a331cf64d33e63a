#include "search/state.h"

#include "search/random.h"

struct object {
    uint64_t writer;  /* the place that changed it last */
    uint64_t history; /* EXACT: of all changes */
    uint64_t share;   /* of the sum */
};

struct thread {
    uint64_t chain; /* EXACT: all that it has made and seen */
    uint64_t seen;  /* READS: the last thing */
    uint64_t share; /* of the sum */
    /* EXACT, of a loop that waits: the chain at the last yield, what was seen since then and in the
     * round before that, and whether anything was changed. */
    uint64_t before, round, last_round;
    bool changes;
};

bool darn_state_begin(struct darn_state *state, enum darn_state_grade grade,
                      const struct darn_trail *trail)
{
    state->grade = grade;
    state->threads = state->memory = 0;
    darn_table_clear(&state->index);
    state->objects.count = state->each.count = 0;
    return darn_array_reach(&state->each, trail->threads, sizeof(struct thread));
}

void darn_state_free(struct darn_state *state)
{
    darn_table_free(&state->index);
    darn_array_free(&state->objects);
    darn_array_free(&state->each);
}

/* Accesses to parts of a word are about one object: their sizes are not known. */
static uint64_t key_of(const struct darn_step *step)
{
    return darn_step_is_access(step->op) ? step->object & ~UINT64_C(7) : step->object;
}

/* NULL: the step is about nothing that others touch (or there is no memory). */
static struct object *object_of(struct darn_state *state, const struct darn_step *step)
{
    bool added;
    uint32_t *number;

    if (!step->object)
        return NULL;
    number = darn_table_at(&state->index, key_of(step), &added);
    if (!number)
        return NULL;
    if (added) {
        *number = (uint32_t)state->objects.count;
        if (!darn_array_add(&state->objects, sizeof(struct object))) {
            darn_table_clear(&state->index);
            state->objects.count = 0;
            return NULL;
        }
    }
    return (struct object *)state->objects.at + *number;
}

/* A round of a waiting loop that has seen what the one before has seen leads back to the same
 * state; without this, a search would wait with it for ever. */
static void end_round(struct thread *thread)
{
    if (!thread->changes && thread->before && thread->round == thread->last_round)
        thread->chain = thread->before;
    thread->before = thread->chain;
    thread->last_round = thread->round;
    thread->round = 0;
    thread->changes = false;
}

static void step_exactly(struct darn_state *state, const struct darn_step *step,
                         struct object *object, struct thread *thread)
{
    uint64_t what = darn_search_join(step->place, step->op);

    /* A plain write does not depend on what was there before. */
    if (object && step->op != DARN_STEP_WRITE)
        what = darn_search_join(what, object->history);
    thread->round = darn_search_join(thread->round, what);
    thread->chain = darn_search_join(thread->chain, what);
    if (darn_step_gives_way(step))
        end_round(thread);
    if (object && darn_step_changes(step->op)) {
        thread->changes = true;
        object->history = darn_search_join(object->history, thread->chain + step->thread);
        state->memory -= object->share;
        object->share = darn_search_join(key_of(step), object->history);
        state->memory += object->share;
    }
    state->threads -= thread->share;
    thread->share = darn_search_join(step->thread + 1, thread->chain);
    state->threads += thread->share;
}

static void step_roughly(struct darn_state *state, const struct darn_trail *trail, uint32_t i,
                         struct object *object, struct thread *thread)
{
    const struct darn_step *step = &trail->steps[i], *after = darn_trail_after(trail, i);

    if (object && darn_step_observes(step->op))
        thread->seen = darn_search_join(step->place, object->writer);
    state->threads -= thread->share;
    thread->share = 0;
    if (after) {
        thread->share = darn_search_mix(after->place + 1);
        if (state->grade >= DARN_STATE_OF_OBJECTS)
            thread->share = darn_search_join(thread->share, after->object);
        if (state->grade >= DARN_STATE_OF_READS)
            thread->share = darn_search_join(thread->share, thread->seen);
    }
    state->threads += thread->share;
    if (object && darn_step_changes(step->op) && object->writer != step->place) {
        object->writer = step->place;
        state->memory -= object->share;
        object->share = darn_search_join(key_of(step), step->place);
        state->memory += object->share;
    }
}

void darn_state_step(struct darn_state *state, const struct darn_trail *trail, uint32_t i)
{
    const struct darn_step *step = &trail->steps[i];
    struct object *object = object_of(state, step);
    struct thread *thread = (struct thread *)state->each.at + step->thread;

    if (state->grade == DARN_STATE_EXACT)
        step_exactly(state, step, object, thread);
    else if (!darn_trail_is_wake(trail, i))
        step_roughly(state, trail, i, object, thread);
}
