#include "driver/play/divergence.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/text_pool.h"

/* " at bank.c:12", or nothing when it is not known. */
static const char *place_text(const struct darn_snapshot *snapshot, struct darn_text_pool *pool,
                              uint8_t op, uint64_t place)
{
    struct darn_snapshot_place at =
        darn_snapshot_place(snapshot, pool, (enum darn_step_op)op, place);

    if (!at.file)
        return at.function ? darn_pool_format(pool, " in %s", at.function) : "";
    return at.line ? darn_pool_format(pool, " at %s:%u", at.file, at.line)
                   : darn_pool_format(pool, " in %s", at.file);
}

/* "to lock at bank.c:12" */
static const char *step_text(const struct darn_snapshot *snapshot, struct darn_text_pool *pool,
                             uint8_t op, uint64_t place)
{
    const char *name = darn_step_op_name((enum darn_step_op)op);

    return darn_pool_format(pool, "%s%s", name ? name : "go on",
                            place_text(snapshot, pool, op, place));
}

static const struct darn_block_thread *find(const struct darn_control_block *block, uint32_t thread)
{
    const struct darn_result *result = &block->result;

    for (uint32_t i = 0; i < result->thread_count && i < DARN_BLOCK_THREADS; i++)
        if (result->threads[i].thread == thread)
            return &result->threads[i];
    return NULL;
}

/* What the thread does instead. */
static const char *instead(const struct darn_snapshot *snapshot, struct darn_text_pool *pool,
                           uint32_t number, const struct darn_step *expected)
{
    const struct darn_block_thread *thread = find(snapshot->block, number);
    const char *step;

    if (!thread)
        return darn_pool_format(pool, "there is no T%u", number);
    step = step_text(snapshot, pool, thread->op, thread->place);
    switch (thread->state) {
    case DARN_STATE_ENDED:
        return darn_pool_format(pool, "T%u has ended", number);
    case DARN_STATE_BLOCKED:
    case DARN_STATE_ASLEEP:
        return darn_pool_format(pool, "T%u cannot go on: it waits to %s", number, step);
    case DARN_STATE_OUTSIDE:
        return darn_pool_format(pool, "T%u is in a system call%s", number,
                                place_text(snapshot, pool, thread->op, thread->place));
    default:
        break;
    }
    if (expected && thread->op == expected->op && thread->place == expected->place)
        return darn_pool_format(pool, "T%u cannot", number);
    /* One line of the source may have several. */
    if (expected && strcmp(step, step_text(snapshot, pool, expected->op, expected->place)) == 0)
        return darn_pool_format(pool,
                                "T%u is about to do so elsewhere in that line, or in code "
                                "that was compiled anew",
                                number);
    return darn_pool_format(pool, "T%u is about to %s", number, step);
}

static void say_diverged(const struct darn_schedule *schedule, const struct darn_snapshot *snapshot,
                         char *to, size_t size)
{
    uint64_t at = snapshot->block->result.diverged;
    struct darn_text_pool pool = {0};
    const struct darn_step *expected;

    if (at >= schedule->step_count || at >= DARN_BLOCK_STEPS) {
        snprintf(to, size, "diverged at decision %" PRIu64, at);
        return;
    }
    expected = &snapshot->block->follow[at];
    snprintf(to, size, "diverged at decision %" PRIu64 " of %zu: expected T%u to %s, but %s", at,
             schedule->step_count, expected->thread,
             step_text(snapshot, &pool, expected->op, expected->place),
             instead(snapshot, &pool, expected->thread, expected));
    darn_pool_release(&pool);
}

void darn_divergence_inputs(const struct darn_result *result, char *to, size_t size)
{
    static const char *const names[DARN_INPUTS] = {
        [DARN_INPUT_RANDOM] = "random numbers",
        [DARN_INPUT_PID] = "process ids",
        [DARN_INPUT_SOCKET] = "sockets",
        [DARN_INPUT_DEVICE] = "devices",
    };
    size_t used = 0;

    if (size)
        *to = '\0';
    for (int i = 0; i < DARN_INPUTS && used < size; i++)
        if (result->unrecorded & 1u << i)
            used += (size_t)snprintf(to + used, size - used, "%s%s", used ? ", " : "", names[i]);
}

bool darn_divergence_text(const struct darn_schedule *schedule,
                          const struct darn_snapshot *snapshot, char *to, size_t size)
{
    const struct darn_result *result = &snapshot->block->result;

    if (result->end == DARN_END_DIVERGED) {
        say_diverged(schedule, snapshot, to, size);
        return true;
    }
    if (result->end == DARN_END_NONE && result->diverged < schedule->step_count && !result->steps) {
        const struct darn_schedule_place *place = &schedule->steps[result->diverged].place;

        snprintf(to, size, "the program has no %s, in which decision %" PRIu64 " is made",
                 place->module < schedule->module_count ? schedule->modules[place->module]
                                                        : "such place",
                 result->diverged);
        return true;
    }
    if (result->end == DARN_END_EXIT && result->steps < schedule->step_count) {
        snprintf(to, size, "it ended after %" PRIu64 " decisions; the schedule has %zu",
                 result->steps, schedule->step_count);
        return true;
    }
    return false;
}
