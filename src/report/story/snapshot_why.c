/* The last lines of the story of a failure: why it fails. */
#include <inttypes.h>

#include "report/story/snapshot_story.h"

/* The write that the read has seen; `count` when there is none. */
static uint64_t writer_of(const struct darn_story *story, uint64_t read)
{
    for (uint64_t i = read; i-- > 0;)
        if (darn_step_writes((enum darn_step_op)story->steps[i].op) &&
            story->steps[i].object == story->steps[read].object)
            return i;
    return story->count;
}

/* Who struck the signal, or ended the program. */
static uint32_t failing_thread(const struct darn_story *story)
{
    const struct darn_result *result = &story->snapshot->block->result;

    return result->signal ? result->signal_thread : story->steps[story->count - 1].thread;
}

/* What it had read last of what another thread has written. */
static void say_read(struct darn_story *story)
{
    uint32_t thread = failing_thread(story);

    for (uint64_t i = story->count; i-- > 0;) {
        const struct darn_step *read = &story->steps[i], *write;
        uint64_t writer;

        if (read->thread != thread || !darn_step_reads((enum darn_step_op)read->op))
            continue;
        writer = writer_of(story, i);
        write = &story->steps[writer];
        if (writer == story->count || write->thread == thread)
            continue;
        darn_story_say(story, -1,
                       darn_pool_format(&story->pool,
                                        "why: T%" PRIu32 " went by what T%" PRIu32
                                        " did at step %" PRIu64 ": %s",
                                        thread, write->thread, writer,
                                        darn_story_action(story, writer)),
                       darn_story_place(story, (enum darn_step_op)write->op, write->place));
        return;
    }
}

/* The step that the thread would have made then; `count` when it makes none. */
static uint64_t next_of(const struct darn_story *story, uint64_t step, uint64_t thread)
{
    while (step < story->count && story->steps[step].thread != thread)
        step++;
    return step;
}

/* Where it would have made it. */
static const struct darn_story_place *place_of(struct darn_story *story, uint64_t step,
                                               uint32_t thread)
{
    const struct darn_block_thread *end = darn_snapshot_thread(story->snapshot, thread);

    if (step < story->count)
        return darn_story_place(story, (enum darn_step_op)story->steps[step].op,
                                story->steps[step].place);
    return end ? darn_story_where(story, end) : NULL;
}

void darn_story_why(struct darn_story *story)
{
    uint64_t step = story->snapshot->essential, next;
    uint32_t instead = (uint32_t)story->snapshot->instead;
    const struct darn_story_place *place = NULL;
    const char *text, *about;

    if (!step || step >= story->count)
        return;
    next = next_of(story, step, instead);
    about = darn_story_intention(story, instead, next);
    if (story->steps[step].flags & DARN_STEP_PREEMPTS && about) {
        text = darn_pool_format(
            &story->pool, "why: the run ends well if T%" PRIu32 " is not interrupted before: %s",
            instead, about);
        place = place_of(story, next, instead);
    } else {
        text = darn_pool_format(&story->pool,
                                "why: the run ends well if T%" PRIu32 ", and not T%" PRIu32
                                ", goes on at step %" PRIu64,
                                instead, story->steps[step].thread, step);
    }
    darn_story_say(story, -1, text, place);
    say_read(story);
}
