/*
 * A run that was cut off while its threads did nothing but wait, each time until the time was over.
 * Such a program may wait for what has come already, and never end; but that is not proved: time
 * goes on, and it may give up some day.
 */
#include <stdio.h>

#include "driver/explore/exploration.h"
#include "report/text_pool.h"

#define STEPS_LOOKED_AT 1000
#define LATE_ONE_IN     16 /* of them: a wait has some more, for its lock and its condition */

/* Whether it is what threads do around a wait. */
static bool is_of_a_wait(enum darn_step_op op)
{
    switch (op) {
    case DARN_STEP_READ:
    case DARN_STEP_LOCK:
    case DARN_STEP_TRYLOCK:
    case DARN_STEP_UNLOCK:
    case DARN_STEP_WAIT:
    case DARN_STEP_RELOCK:
    case DARN_STEP_TAKE:
    case DARN_STEP_JOIN:
    case DARN_STEP_YIELD:
    case DARN_STEP_SLEEP:
    case DARN_STEP_CALL:
        return true;
    default:
        return false;
    }
}

/* The last step whose time was over; NULL when something else was done, too. */
static const struct darn_step *find_wait(const struct darn_control_block *block)
{
    uint64_t end = block->result.steps < DARN_BLOCK_STEPS ? block->result.steps : DARN_BLOCK_STEPS;
    const struct darn_step *last = NULL;
    uint32_t late = 0;

    if (end < STEPS_LOOKED_AT)
        return NULL;
    for (uint64_t i = end - STEPS_LOOKED_AT; i < end; i++) {
        const struct darn_step *step = &block->steps[i];

        if (!is_of_a_wait((enum darn_step_op)step->op))
            return NULL;
        if (step->flags & DARN_STEP_TIMED_OUT || step->op == DARN_STEP_SLEEP) {
            last = step;
            late++;
        }
    }
    return late >= STEPS_LOOKED_AT / LATE_ONE_IN ? last : NULL;
}

void darn_exploration_note_wait(struct darn_exploration *exploration,
                                const struct darn_player *player)
{
    const struct darn_step *step = find_wait(player->block);
    struct darn_text_pool pool = {0};
    struct darn_snapshot_place at;

    if (!step)
        return;
    if (!exploration->cut_waiting++) {
        at = darn_snapshot_place(&player->snapshot, &pool, (enum darn_step_op)step->op, step->place);
        if (at.file && at.line)
            snprintf(exploration->waiting, sizeof(exploration->waiting), ", T%u at %s:%u",
                     step->thread, at.file, at.line);
    }
    darn_pool_release(&pool);
}
