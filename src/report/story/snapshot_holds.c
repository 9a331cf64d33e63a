/*
 * Who holds which lock from which step to which. A step is made when it can be: after `lock` the
 * lock is the thread's own. Two things are not written in a step, and are told by what comes later:
 * whether a trylock was in vain, and which mutex a wait gives back.
 */
#include "base/grow.h"
#include "report/story/snapshot_story.h"

struct holds {
    struct darn_story *story;
    struct darn_story_hold *list;
    size_t count, room;
    struct darn_map last; /* of a thread and a lock: index + 1 */
};

static bool locks(const struct darn_step *step)
{
    return step->op == DARN_STEP_LOCK || step->op == DARN_STEP_READLOCK ||
           step->op == DARN_STEP_WRITELOCK || step->op == DARN_STEP_RELOCK;
}

static bool unlocks(const struct darn_step *step)
{
    return step->op == DARN_STEP_UNLOCK || step->op == DARN_STEP_RWUNLOCK;
}

/* Addresses of programs leave room for the number of a thread. */
static uintptr_t hold_key(uint32_t thread, uint64_t object)
{
    return object ^ (uint64_t)thread << 47;
}

/* What the thread holds of it now; NULL when nothing. */
static struct darn_story_hold *find_hold(const struct holds *holds, uint32_t thread,
                                         uint64_t object)
{
    uintptr_t last = darn_map_get(&holds->last, hold_key(thread, object), 0);
    struct darn_story_hold *hold = last ? &holds->list[last - 1] : NULL;

    return hold && hold->depth && hold->thread == thread && hold->object == object ? hold : NULL;
}

/* Whether the thread holds the lock where the story ends, as the run itself says. */
static bool holds_at_end(const struct darn_story *story, uint32_t thread, uint64_t object)
{
    const struct darn_block_thread *end = darn_snapshot_thread(story->snapshot, thread);

    for (uint32_t i = 0; end && i < darn_snapshot_locks(end); i++)
        if (end->locks[i] == object)
            return true;
    return false;
}

/* Whether the next thing that the thread does with the lock is to give it back. */
static bool was_taken(const struct darn_story *story, uint64_t trylock)
{
    const struct darn_step *step = &story->steps[trylock];

    for (uint64_t i = story->next[trylock]; i < story->count; i = story->next[i])
        if (story->steps[i].object == step->object && darn_step_is_sync(story->steps[i].op))
            return unlocks(&story->steps[i]);
    return holds_at_end(story, step->thread, step->object);
}

/* The mutex that a wait gives back; 0 when nobody knows. */
static uint64_t mutex_of(const struct darn_story *story, uint64_t wait)
{
    uint32_t thread = story->steps[wait].thread;
    const struct darn_block_thread *end;

    for (uint64_t i = story->next[wait]; i < story->count; i = story->next[i]) {
        if (story->steps[i].op == DARN_STEP_RELOCK)
            return story->steps[i].object;
        if (darn_story_runs(&story->steps[i]))
            return 0;
    }
    end = darn_snapshot_thread(story->snapshot, thread);
    if (!end)
        return 0;
    return end->op == DARN_STEP_RELOCK ? end->object : end->mutex;
}

static void take_hold(struct holds *holds, uint64_t index)
{
    const struct darn_step *step = &holds->story->steps[index];
    struct darn_story_hold *hold = find_hold(holds, step->thread, step->object);

    if (hold) {
        hold->depth++;
        return;
    }
    holds->list = darn_grow(holds->list, &holds->room, holds->count + 1, sizeof(*holds->list));
    holds->list[holds->count++] = (struct darn_story_hold){
        .thread = step->thread,
        .depth = 1,
        .object = step->object,
        .from = index,
        .to = holds->story->told,
    };
    darn_map_put(&holds->last, hold_key(step->thread, step->object), holds->count);
}

static void give_back(struct holds *holds, uint64_t index, uint64_t object, bool at_once)
{
    struct darn_story_hold *hold = find_hold(holds, holds->story->steps[index].thread, object);

    if (!hold)
        return;
    hold->depth = at_once ? 0 : hold->depth - 1;
    if (!hold->depth)
        hold->to = index;
}

size_t darn_story_holds(struct darn_story *story, struct darn_story_hold **list)
{
    struct holds holds = {.story = story};

    for (uint64_t i = 0; i < story->told; i++) {
        const struct darn_step *step = &story->steps[i];

        if (step->flags & DARN_STEP_TIMED_OUT && step->op != DARN_STEP_RELOCK)
            continue;
        if (locks(step) || (step->op == DARN_STEP_TRYLOCK && was_taken(story, i)))
            take_hold(&holds, i);
        else if (unlocks(step))
            give_back(&holds, i, step->object, false);
        else if (step->op == DARN_STEP_WAIT)
            give_back(&holds, i, mutex_of(story, i), true);
    }
    darn_map_free(&holds.last);
    *list = holds.list;
    return holds.count;
}
