/*
 * Who takes part in a story: the threads of what happened, those who interrupt or are interrupted,
 * those who changed what one of these looks at, and whoever has created one of them. A thread that
 * only runs beside them is left out.
 */
#include <string.h>

#include "report/story/snapshot_story.h"

struct darn_story_thread *darn_story_find_thread(struct darn_story_thread *threads, size_t count,
                                                 uint32_t number)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (threads[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && threads[low].number == number ? &threads[low] : NULL;
}

struct darn_story_thread *darn_story_thread(struct darn_story *story, uint32_t number)
{
    return darn_story_find_thread(story->threads, story->thread_count, number);
}

static void add(struct darn_story *story, uint32_t number)
{
    struct darn_story_thread *thread = darn_story_thread(story, number);

    if (thread)
        thread->takes_part = true;
}

static bool takes_part(struct darn_story *story, uint32_t number)
{
    const struct darn_story_thread *thread = darn_story_thread(story, number);

    return thread && thread->takes_part;
}

/* False when nobody knows whose doing it is. */
static bool add_actors(struct darn_story *story)
{
    const struct darn_result *result = &story->snapshot->block->result;
    uint32_t circle[DARN_BLOCK_THREADS];
    size_t length =
        result->end == DARN_END_DEADLOCK ? darn_snapshot_circle(story->snapshot, circle) : 0;
    bool known = result->signal || length;

    if (result->signal)
        add(story, result->signal_thread);
    for (size_t i = 0; i < length; i++)
        add(story, result->threads[circle[i]].thread);
    for (uint32_t i = 0; i < result->met_count && i < DARN_BLOCK_MET; i++) {
        const struct darn_block_met *met = &result->met[i];

        for (int side = 0; side < 2 && met->step <= story->told; side++)
            add(story, met->threads[side].thread);
        known |= met->step <= story->told;
    }
    return known;
}

static void add_interrupted(struct darn_story *story)
{
    for (uint64_t i = 1; i < story->told; i++) {
        const struct darn_step *step = &story->steps[i];

        if (!(step->flags & (DARN_STEP_PREEMPTS | DARN_STEP_FORCED)))
            continue;
        add(story, step->thread);
        add(story, story->steps[i - 1].thread);
    }
}

/* A lock is taken by many who have nothing else to do with each other. */
static bool tells(const struct darn_step *step)
{
    const char *kind = darn_snapshot_target_kind((enum darn_step_op)step->op);

    return step->object && !darn_step_names_thread((enum darn_step_op)step->op) &&
           (!kind || (strcmp(kind, "mutex") != 0 && strcmp(kind, "read") != 0 &&
                      strcmp(kind, "write") != 0 && strcmp(kind, "lock") != 0));
}

/* Adds those who changed what somebody that takes part has touched. Whether there are any. */
static bool add_writers(struct darn_story *story)
{
    struct darn_map touched = {.count = 0};
    bool added = false;

    for (uint64_t i = 0; i < story->told; i++)
        if (tells(&story->steps[i]) && takes_part(story, story->steps[i].thread))
            darn_map_put(&touched, story->steps[i].object, 1);
    for (uint64_t i = 0; i < story->told; i++) {
        const struct darn_step *step = &story->steps[i];

        if (!tells(step) || !darn_step_changes((enum darn_step_op)step->op) ||
            takes_part(story, step->thread) || !darn_map_get(&touched, step->object, 0))
            continue;
        add(story, step->thread);
        added = true;
    }
    darn_map_free(&touched);
    return added;
}

static void add_creators(struct darn_story *story)
{
    for (size_t i = story->thread_count; i--;) {
        const struct darn_step *creation =
            story->threads[i].takes_part
                ? darn_snapshot_creation(story->snapshot, story->threads[i].number)
                : NULL;

        if (creation && creation < story->steps + story->told)
            add(story, creation->thread);
    }
}

void darn_story_choose_threads(struct darn_story *story)
{
    size_t kept = 0;

    if (!add_actors(story))
        return;
    add_interrupted(story);
    while (add_writers(story))
        ;
    add_creators(story);
    for (size_t i = 0; i < story->thread_count; i++)
        if (story->threads[i].takes_part)
            story->threads[kept++] = story->threads[i];
    story->thread_count = kept;
}
