#include "search/know.h"

#define HELD 8     /* locks of one thread; more are not looked at */
#define MOST 16384 /* places, and objects */

struct thread {
    uint64_t held[HELD];
    uint32_t held_count;
    bool busy; /* it has touched something shared, or started a thread */
    bool amid;
};

void darn_know_free(struct darn_know *know)
{
    darn_array_free(&know->places);
    darn_array_free(&know->objects);
    darn_array_free(&know->threads);
    darn_map_free(&know->place_index);
    darn_map_free(&know->object_index);
}

/* The index of the element with that key, which may be new; SIZE_MAX when there are too many. */
static size_t number_of(struct darn_map *index, struct darn_array *array, size_t size, uint64_t key,
                        bool *added)
{
    uintptr_t *number;

    if (array->count >= MOST) {
        *added = false;
        return darn_map_get(index, key, SIZE_MAX);
    }
    number = darn_map_at(index, key, added);
    if (*added) {
        *number = array->count;
        darn_array_add(array, size);
    }
    return *number;
}

size_t darn_know_find(const struct darn_know *know, uint64_t place)
{
    return darn_map_get(&know->place_index, place, SIZE_MAX);
}

static bool takes_lock(enum darn_step_op op)
{
    return op == DARN_STEP_LOCK || op == DARN_STEP_READLOCK || op == DARN_STEP_WRITELOCK ||
           op == DARN_STEP_RELOCK;
}

static void drop(struct thread *thread, uint64_t lock)
{
    for (uint32_t i = thread->held_count; i-- > 0;) {
        if (thread->held[i] == lock) {
            thread->held[i] = thread->held[--thread->held_count];
            return;
        }
    }
}

static void follow_locks(struct thread *thread, const struct darn_step *step)
{
    if (takes_lock(step->op)) {
        if (thread->held_count < HELD)
            thread->held[thread->held_count++] = step->object;
    } else if (step->op == DARN_STEP_UNLOCK || step->op == DARN_STEP_RWUNLOCK) {
        drop(thread, step->object);
    } else if (step->op == DARN_STEP_WAIT && thread->held_count > 0) {
        thread->held_count--; /* of which mutex the step does not say: it is the last one */
    }
}

/* Whether the step is about an object that threads work with, and not about a thread. */
static bool works(const struct darn_step *step)
{
    return step->object && step->op >= DARN_STEP_READ && step->op <= DARN_STEP_ONCE &&
           step->op != DARN_STEP_WAKE;
}

static bool holds(const struct thread *thread, uint64_t lock)
{
    for (uint32_t i = 0; i < thread->held_count; i++) {
        if (thread->held[i] == lock)
            return true;
    }
    return false;
}

/* The locks that were held at each access: as with Eraser, but not from the first thread on, which
 * may have set up the object alone. */
static void meet_locks(struct darn_known_object *object, const struct thread *thread)
{
    uint32_t kept = 0;

    if (!object->shared)
        return;
    if (!object->locked_once) {
        object->locked_once = true;
        for (uint32_t i = 0; i < thread->held_count && kept < 2; i++)
            object->locks[kept++] = thread->held[i];
    } else {
        for (uint32_t i = 0; i < object->lock_count; i++) {
            if (holds(thread, object->locks[i]))
                object->locks[kept++] = object->locks[i];
        }
    }
    object->lock_count = (uint8_t)kept;
}

static void add_side(uint64_t *sides, uint8_t *count, uint64_t place)
{
    for (uint8_t i = 0; i < *count; i++) {
        if (sides[i] == place)
            return;
    }
    if (*count < DARN_KNOWN_SIDES)
        sides[(*count)++] = place;
}

static void learn_object(struct darn_know *know, const struct darn_step *step,
                         const struct thread *thread)
{
    bool added;
    size_t number = number_of(&know->object_index, &know->objects, sizeof(struct darn_known_object),
                              step->object, &added);
    struct darn_known_object *object;

    if (number == SIZE_MAX)
        return;
    object = darn_know_object(know, number);
    if (added) {
        object->object = step->object;
        object->thread = step->thread + 1;
    }
    object->shared |= object->thread != step->thread + 1;
    object->changed |= darn_step_changes(step->op);
    object->memory |= darn_step_is_access(step->op);
    if (darn_step_is_access(step->op))
        meet_locks(object, thread);
    if (darn_step_observes(step->op))
        add_side(object->reads, &object->read_count, step->place);
    if (darn_step_changes(step->op))
        add_side(object->writes, &object->write_count, step->place);
}

static void learn_place(struct darn_know *know, const struct darn_step *step,
                        const struct thread *thread)
{
    uint32_t object =
        step->object ? darn_map_get(&know->object_index, step->object, UINT32_MAX) : UINT32_MAX;
    bool added;
    size_t number = number_of(&know->place_index, &know->places, sizeof(struct darn_known_place),
                              step->place, &added);
    struct darn_known_place *place;

    if (number == SIZE_MAX)
        return;
    place = darn_know_place(know, number);
    if (added) {
        place->place = step->place;
        place->op = step->op;
        place->threads[0] = step->thread + 1;
        place->locks = UINT8_MAX;
    }
    place->threads[1] = step->thread + 1;
    /* Of the objects that a place has been about one that threads share says more. */
    if (object != UINT32_MAX && (!place->object || darn_know_object(know, object)->shared))
        place->object = object + 1;
    /* In a plain run the last thread is alone, but not in others; the first thread may be. */
    place->others |= step->thread != 0 || !(step->flags & DARN_STEP_ALONE);
    place->later |= thread->busy;
    place->amid |= thread->amid;
    if (thread->held_count < place->locks)
        place->locks = (uint8_t)thread->held_count;
}

/* What it means for the places that come after the step. */
static void follow_work(struct darn_know *know, struct thread *thread, const struct darn_step *step)
{
    uint32_t object;

    if (step->op == DARN_STEP_CREATE)
        thread->busy = true;
    if (!works(step))
        return;
    object = darn_map_get(&know->object_index, step->object, UINT32_MAX);
    if (object == UINT32_MAX || !darn_know_object(know, object)->shared)
        return;
    thread->busy = true;
    if (darn_step_is_access(step->op))
        thread->amid = darn_step_changes(step->op);
}

void darn_know_learn(struct darn_know *know, const struct darn_trail *trail)
{
    struct thread *threads;

    know->runs++;
    /* Objects first: whether one is shared must be known when its places are judged. */
    for (int pass = 0; pass < 2; pass++) {
        know->threads.count = 0;
        darn_array_reach(&know->threads, trail->threads, sizeof(*threads));
        threads = know->threads.at;
        for (uint32_t i = 0; i < trail->count; i++) {
            const struct darn_step *step = &trail->steps[i];
            struct thread *thread = &threads[step->thread];

            if (darn_trail_is_wake(trail, i))
                continue;
            if (pass == 0 && works(step)) {
                learn_object(know, step, thread);
            } else if (pass == 1) {
                learn_place(know, step, thread);
                follow_work(know, thread, step);
            }
            follow_locks(thread, step);
        }
    }
}
