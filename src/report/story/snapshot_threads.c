/* Who the threads of a controlled run are, and what they hold. */
#include <string.h>

#include "report/story/snapshot_private.h"
#include "report/symbol/frames.h"
#include "report/symbol/symbolize.h"

static bool is_own(const struct darn_frame *frame)
{
    return frame->function && !darn_frame_is_outside(frame) && !darn_frame_is_library(frame) &&
           strncmp(frame->function, "std::", 5) != 0;
}

/* The outermost function of the thread that is the program's own. */
static const char *outermost(const struct darn_snapshot *snapshot, struct darn_text_pool *pool,
                             const struct darn_block_thread *thread)
{
    for (size_t i = thread->depth < DARN_BLOCK_STACK ? thread->depth : DARN_BLOCK_STACK; i--;) {
        struct darn_frame frames[DARN_SYMBOLIZE_DEPTH];
        uint64_t offset;
        const char *module = darn_snapshot_locate(snapshot, pool, thread->stack[i], &offset);

        if (!module || !offset || darn_frame_is_libc(&(struct darn_frame){.module = module}))
            continue;
        for (size_t inlined =
                 darn_symbolize_code(snapshot->modules, pool, module, offset - 1, frames);
             inlined--;)
            if (is_own(&frames[inlined]))
                return frames[inlined].function;
    }
    return NULL;
}

/* A full stack may have lost its outermost frames. */
static const char *start_of(const struct darn_snapshot *snapshot, struct darn_text_pool *pool,
                            const struct darn_block_thread *thread, uint32_t number)
{
    if (!thread || thread->thread != number || thread->depth >= DARN_BLOCK_STACK)
        return NULL;
    return outermost(snapshot, pool, thread);
}

/* What the runtime says: the first step of a thread may have the function itself. */
static const char *entry_of(const struct darn_snapshot *snapshot, struct darn_text_pool *pool,
                            uint32_t thread)
{
    for (uint64_t i = 0; i < darn_snapshot_steps(snapshot); i++) {
        const struct darn_step *step = &snapshot->block->steps[i];

        if (step->thread == thread && step->op == DARN_STEP_START)
            return darn_snapshot_is_entry(snapshot, step->place)
                       ? darn_snapshot_code(snapshot, pool, step->place, 0).function
                       : NULL;
    }
    return NULL;
}

static const char *by_stacks(const struct darn_snapshot *snapshot, struct darn_text_pool *pool,
                             uint32_t thread)
{
    const struct darn_result *result = &snapshot->block->result;
    const char *name = start_of(snapshot, pool, darn_snapshot_thread(snapshot, thread), thread);

    for (uint32_t i = 0; !name && i < result->met_count && i < DARN_BLOCK_MET; i++)
        for (int side = 0; !name && side < 2; side++)
            name = start_of(snapshot, pool, &result->met[i].threads[side], thread);
    return name;
}

const char *darn_snapshot_start(const struct darn_snapshot *snapshot, struct darn_text_pool *pool,
                                uint32_t thread)
{
    const struct darn_step *creation;
    const char *name = thread ? entry_of(snapshot, pool, thread) : "main";

    if (!name)
        name = by_stacks(snapshot, pool, thread);
    if (!name && (creation = darn_snapshot_creation(snapshot, thread)))
        name = darn_snapshot_started(snapshot, pool, creation->place);
    return name;
}

const struct darn_step *darn_snapshot_creation(const struct darn_snapshot *snapshot,
                                               uint32_t thread)
{
    uint32_t created = 0;

    /* Threads are numbered as they are created. */
    for (uint64_t i = 0; thread && i < darn_snapshot_steps(snapshot); i++) {
        const struct darn_step *step = &snapshot->block->steps[i];

        if (step->op == DARN_STEP_CREATE && ++created == thread)
            return step;
    }
    return NULL;
}

const char *darn_snapshot_target_kind(enum darn_step_op op)
{
    switch (op) {
    case DARN_STEP_LOCK:
    case DARN_STEP_TRYLOCK:
    case DARN_STEP_UNLOCK:
    case DARN_STEP_RELOCK:
        return "mutex";
    case DARN_STEP_READLOCK:
        return "read";
    case DARN_STEP_WRITELOCK:
        return "write";
    case DARN_STEP_RWUNLOCK:
        return "lock";
    case DARN_STEP_WAIT:
    case DARN_STEP_WAKE:
    case DARN_STEP_SIGNAL:
    case DARN_STEP_BROADCAST:
        return "cond";
    case DARN_STEP_TAKE:
    case DARN_STEP_POST:
        return "semaphore";
    case DARN_STEP_BARRIER:
        return "barrier";
    case DARN_STEP_ONCE:
        return "once";
    default:
        return NULL;
    }
}

const char *darn_snapshot_held_kind(const struct darn_snapshot *snapshot, uint32_t thread,
                                    uint64_t lock)
{
    const char *kind = NULL;

    for (uint64_t i = darn_snapshot_steps(snapshot); i--;) {
        const struct darn_step *step = &snapshot->block->steps[i];
        const char *found = step->object == lock ? darn_snapshot_target_kind(step->op) : NULL;

        if (!found || step->op == DARN_STEP_UNLOCK || step->op == DARN_STEP_RWUNLOCK)
            continue;
        kind = found;
        if (step->thread == thread)
            break;
    }
    /* The table of steps has an end; what others want to take it for tells as much. */
    for (uint32_t i = 0; !kind && i < darn_snapshot_threads(snapshot); i++) {
        const struct darn_block_thread *other = &snapshot->block->result.threads[i];

        if (other->object == lock && (other->op == DARN_STEP_LOCK || other->op == DARN_STEP_RELOCK))
            kind = "mutex";
    }
    return kind ? kind : "lock";
}
