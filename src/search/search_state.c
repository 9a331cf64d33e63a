#include "search/search_state.h"

#include "base/random.h"

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

void darn_state_begin(struct darn_search_state *state, enum darn_state_grade grade,
                      const struct darn_trail *trail)
{
    state->grade = grade;
    state->threads = state->memory = 0;
    darn_map_clear(&state->index);
    state->objects.count = state->each.count = 0;
    state->thread_count = trail->threads;
    darn_array_reach(&state->each, trail->threads, sizeof(struct thread));
}

void darn_state_free(struct darn_search_state *state)
{
    darn_map_free(&state->index);
    darn_array_free(&state->objects);
    darn_array_free(&state->each);
}

/* Steps about parts of a word are about one object: their sizes are not known. A futex or a flag
 * that is spun on is such a part, too. */
static uint64_t key_of(const struct darn_step *step)
{
    return darn_step_names_thread(step->op) ? step->object : step->object & ~UINT64_C(7);
}

/* NULL: the step is about nothing that others touch. */
static struct object *object_of(struct darn_search_state *state, const struct darn_step *step)
{
    bool added;
    uintptr_t *number;

    if (!step->object || step->op == DARN_STEP_CANCEL)
        return NULL;
    number = darn_map_at(&state->index, key_of(step), &added);
    if (added) {
        *number = state->objects.count;
        darn_array_add(&state->objects, sizeof(struct object));
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

/* What the thread has made and seen with the step. The object may be NULL. */
static void extend(struct thread *thread, const struct darn_step *step, const struct object *object)
{
    uint64_t what = darn_mix_two(step->place, step->op);

    /* A plain write does not depend on what was there before. */
    if (object && step->op != DARN_STEP_WRITE)
        what = darn_mix_two(what, object->history);
    thread->round = darn_mix_two(thread->round, what);
    thread->chain = darn_mix_two(thread->chain, what);
    thread->changes |= object && darn_step_changes(step->op);
    if (darn_step_gives_way(step))
        end_round(thread);
    thread->share = darn_mix_two(step->thread + 1, thread->chain);
}

/* The object after a step that changes it. */
static void rewrite(struct object *object, const struct darn_step *step,
                    const struct thread *thread)
{
    object->history = darn_mix_two(object->history, thread->chain + step->thread);
    object->share = darn_mix_two(key_of(step), object->history);
}

/* The thread that the step cancels; NULL: none. */
static struct thread *cancelled_by(const struct darn_search_state *state,
                                   const struct darn_step *step)
{
    if (step->op != DARN_STEP_CANCEL || step->object >= state->thread_count)
        return NULL;
    return (struct thread *)state->each.at + step->object;
}

/* From now on it ends where it lets itself be cancelled, at any of its steps: what it has made up
 * to then and what it makes afterwards are two things. */
static void end_early(struct thread *thread, const struct darn_step *step)
{
    thread->chain = darn_mix_two(thread->chain, DARN_STEP_CANCEL);
    thread->before = thread->last_round = 0;
    thread->share = darn_mix_two(step->object + 1, thread->chain);
}

static void step_exactly(struct darn_search_state *state, const struct darn_step *step,
                         struct object *object, struct thread *thread)
{
    struct thread *cancelled = cancelled_by(state, step);

    state->threads -= thread->share;
    extend(thread, step, object);
    state->threads += thread->share;
    if (cancelled) {
        state->threads -= cancelled->share;
        end_early(cancelled, step);
        state->threads += cancelled->share;
    }
    if (object && darn_step_changes(step->op)) {
        state->memory -= object->share;
        rewrite(object, step, thread);
        state->memory += object->share;
    }
}

static void step_roughly(struct darn_search_state *state, const struct darn_trail *trail,
                         uint32_t i, struct object *object, struct thread *thread)
{
    const struct darn_step *step = &trail->steps[i], *after = darn_trail_after(trail, i);

    if (object && darn_step_observes(step->op))
        thread->seen = darn_mix_two(step->place, object->writer);
    state->threads -= thread->share;
    thread->share = 0;
    if (after) {
        thread->share = darn_mix(after->place + 1);
        if (state->grade >= DARN_STATE_OF_OBJECTS)
            thread->share = darn_mix_two(thread->share, after->object);
        if (state->grade >= DARN_STATE_OF_READS)
            thread->share = darn_mix_two(thread->share, thread->seen);
    }
    state->threads += thread->share;
    if (object && darn_step_changes(step->op) && object->writer != step->place) {
        object->writer = step->place;
        state->memory -= object->share;
        object->share = darn_mix_two(key_of(step), step->place);
        state->memory += object->share;
    }
}

/* As it is now, also when nobody has touched it: all zero. */
static struct object peek(const struct darn_search_state *state, const struct darn_step *step)
{
    bool has = step->object && step->op != DARN_STEP_CANCEL;
    uintptr_t number = has ? darn_map_get(&state->index, key_of(step), UINTPTR_MAX) : UINTPTR_MAX;

    if (number == UINTPTR_MAX)
        return (struct object){0};
    return ((const struct object *)state->objects.at)[number];
}

/* All that the step changes is looked at in copies. */
static uint64_t glance_exactly(const struct darn_search_state *state, const struct darn_step *step,
                               struct object *object, struct thread thread)
{
    struct thread *cancelled = cancelled_by(state, step);
    uint64_t sum = darn_state_now(state) - thread.share;

    extend(&thread, step, object);
    sum += thread.share;
    if (cancelled) {
        struct thread other = *cancelled;

        sum -= other.share;
        end_early(&other, step);
        sum += other.share;
    }
    if (object && darn_step_changes(step->op)) {
        sum -= object->share;
        rewrite(object, step, &thread);
        sum += object->share;
    }
    return sum;
}

struct darn_state_glance darn_state_glance(const struct darn_search_state *state,
                                           const struct darn_step *step)
{
    struct thread thread = ((const struct thread *)state->each.at)[step->thread];
    struct object object = peek(state, step);
    bool has = step->object && step->op != DARN_STEP_CANCEL;
    bool changes = has && darn_step_changes(step->op);
    struct darn_state_glance glance = {.rest = state->threads + state->memory - thread.share};

    if (state->grade == DARN_STATE_EXACT) {
        glance.rest = glance_exactly(state, step, has ? &object : NULL, thread);
        return glance;
    }
    glance.context = darn_mix_two(step->place, object.writer);
    if (state->grade >= DARN_STATE_OF_READS)
        glance.context = darn_mix_two(glance.context, thread.seen);
    if (changes && object.writer != step->place)
        glance.rest += darn_mix_two(key_of(step), step->place) - object.share;
    return glance;
}

uint64_t darn_state_share(const struct darn_search_state *state, uint32_t thread)
{
    return ((const struct thread *)state->each.at)[thread].share;
}

void darn_state_step(struct darn_search_state *state, const struct darn_trail *trail, uint32_t i)
{
    const struct darn_step *step = &trail->steps[i];
    struct object *object = object_of(state, step);
    struct thread *thread = (struct thread *)state->each.at + step->thread;

    if (state->grade == DARN_STATE_EXACT)
        step_exactly(state, step, object, thread);
    else if (!darn_trail_is_wake(trail, i))
        step_roughly(state, trail, i, object, thread);
}
