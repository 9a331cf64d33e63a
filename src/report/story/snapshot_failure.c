/* The finding that a controlled run ended badly. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "report/identity.h"
#include "report/story/snapshot_private.h"

static const struct darn_block_thread *threads_of(const struct darn_snapshot *snapshot)
{
    return snapshot->block->result.threads;
}

/* Everybody in the circle, in its order. */
static struct darn_finding *make_circle(const struct darn_snapshot *snapshot)
{
    uint32_t circle[DARN_BLOCK_THREADS];
    size_t length = darn_snapshot_circle(snapshot, circle);
    struct darn_finding *finding;

    if (!length)
        return NULL;
    finding = darn_snapshot_finding(snapshot, "deadlock", "scheduler", length);
    for (size_t i = 0; i < length; i++)
        darn_snapshot_access(snapshot, finding, &threads_of(snapshot)[circle[i]],
                             &finding->accesses[i]);
    return finding;
}

/* Waits that another thread would have to end by something that is no end of holding a lock. */
static bool waits_for_notice(const struct darn_snapshot *snapshot,
                             const struct darn_block_thread *thread)
{
    return darn_snapshot_is_blocked(snapshot, thread) &&
           (thread->op == DARN_STEP_WAIT || thread->op == DARN_STEP_TAKE ||
            thread->op == DARN_STEP_BARRIER || thread->op == DARN_STEP_SPIN);
}

/* All who wait for the same as the first who waits; then, with nobody like that, the first who
 * waits for a lock that nobody will ever give back. */
static struct darn_finding *make_waiters(const struct darn_snapshot *snapshot)
{
    const struct darn_block_thread *threads = threads_of(snapshot), *first = NULL;
    struct darn_finding *finding;
    size_t count = 0;

    for (uint32_t i = 0; i < darn_snapshot_threads(snapshot); i++)
        if (waits_for_notice(snapshot, &threads[i]) &&
            (!first || threads[i].thread < first->thread))
            first = &threads[i];
    if (!first)
        return NULL;
    for (uint32_t i = 0; i < darn_snapshot_threads(snapshot); i++)
        count += waits_for_notice(snapshot, &threads[i]) && threads[i].object == first->object;
    finding = darn_snapshot_finding(snapshot, "notification", "scheduler", count);
    finding->reason = "no-signaller";
    count = 0;
    for (uint32_t i = 0; i < darn_snapshot_threads(snapshot); i++)
        if (waits_for_notice(snapshot, &threads[i]) && threads[i].object == first->object)
            darn_snapshot_access(snapshot, finding, &threads[i], &finding->accesses[count++]);
    return finding;
}

static struct darn_finding *make_abandoned(const struct darn_snapshot *snapshot)
{
    const struct darn_block_thread *threads = threads_of(snapshot), *found = NULL;
    struct darn_finding *finding;

    for (uint32_t i = 0; i < darn_snapshot_threads(snapshot); i++) {
        const struct darn_block_thread *thread = &threads[i];

        /* Who waits for the end of somebody waits for what that one waits for. */
        if (darn_snapshot_is_blocked(snapshot, thread) &&
            (!found || (found->op == DARN_STEP_JOIN && thread->op != DARN_STEP_JOIN)))
            found = thread;
    }
    if (!found)
        return NULL;
    finding = darn_snapshot_finding(snapshot, "deadlock", "scheduler", 1);
    darn_snapshot_access(snapshot, finding, found, &finding->accesses[0]);
    return finding;
}

/* Where the signal struck: the instruction itself, while all other frames are return addresses and
 * are looked up one byte before. */
static void make_struck(const struct darn_snapshot *snapshot, struct darn_finding *finding)
{
    const struct darn_result *result = &snapshot->block->result;
    const struct darn_block_thread *known = darn_snapshot_thread(snapshot, result->signal_thread);
    struct darn_block_thread thread = {.thread = result->signal_thread};

    if (known)
        thread = *known;
    thread.op = DARN_STEP_NONE;
    if (result->signal_pc) {
        size_t depth = thread.depth < DARN_BLOCK_STACK ? thread.depth : DARN_BLOCK_STACK;

        if (!depth || thread.stack[0] - result->signal_pc > 1) {
            depth = depth < DARN_BLOCK_STACK ? depth : DARN_BLOCK_STACK - 1;
            memmove(thread.stack + 1, thread.stack, depth * sizeof(thread.stack[0]));
            thread.depth = (uint8_t)(depth + 1);
        }
        thread.stack[0] = result->signal_pc + 1;
    }
    darn_snapshot_access(snapshot, finding, &thread, &finding->accesses[0]);
}

/* How much a thread has to do with a run that does not end. */
static int weight_of(const struct darn_snapshot *snapshot, const struct darn_block_thread *thread)
{
    uint64_t steps = darn_snapshot_steps(snapshot);

    switch (thread->state) {
    case DARN_STATE_OUTSIDE:
        return 4;
    case DARN_STATE_RUNNING:
        return 3;
    case DARN_STATE_READY:
        return steps && snapshot->block->steps[steps - 1].thread == thread->thread ? 2 : 1;
    default:
        return 0;
    }
}

/* A thread that runs has made its step: it is where its stack says, which may be a call that does
 * not come back. */
static void add_thread(const struct darn_snapshot *snapshot, struct darn_finding *finding,
                       const struct darn_block_thread *thread, struct darn_finding_access *to)
{
    struct darn_block_thread there = *thread;

    if (there.state == DARN_STATE_RUNNING && there.depth &&
        snapshot->block->result.end != DARN_END_EXIT)
        there.op = DARN_STEP_NONE;
    darn_snapshot_access(snapshot, finding, &there, to);
}

/* The thread that did something last, and for a run that does not end all others as well. */
static struct darn_finding *make_others(const struct darn_snapshot *snapshot, bool all)
{
    const struct darn_block_thread *threads = threads_of(snapshot), *first = NULL;
    uint32_t total = darn_snapshot_threads(snapshot);
    struct darn_finding *finding;
    size_t count = 0;

    for (uint32_t i = 0; i < total; i++) {
        bool alive = threads[i].state != DARN_STATE_ENDED && threads[i].state != DARN_STATE_NONE;

        count += alive;
        if (alive && (!first || weight_of(snapshot, &threads[i]) > weight_of(snapshot, first)))
            first = &threads[i];
    }
    count = all && count ? count : 1;
    finding = darn_snapshot_finding(snapshot, "failure", "scheduler", count);
    if (!first) {
        finding->accesses[0].op = DARN_OP_STOP;
        return finding;
    }
    add_thread(snapshot, finding, first, &finding->accesses[0]);
    for (uint32_t i = 0, at = 1; at < count; i++)
        if (&threads[i] != first && threads[i].state != DARN_STATE_ENDED &&
            threads[i].state != DARN_STATE_NONE)
            add_thread(snapshot, finding, &threads[i], &finding->accesses[at++]);
    return finding;
}

/* A thread that fails is about to do nothing more: what it would have done next is no fault. */
static void forget_intentions(struct darn_finding *finding)
{
    for (size_t i = 0; i < finding->access_count; i++)
        if (finding->accesses[i].op <= DARN_OP_FREE)
            finding->accesses[i].op = DARN_OP_STOP;
}

static const char *describe_end(const struct darn_result *result, struct darn_text_pool *pool)
{
    int signal = result->signal ? (int)result->signal : 0;
    const char *name;

    if (!signal && result->end == DARN_END_EXIT && WIFSIGNALED(result->status))
        signal = WTERMSIG(result->status);
    if (signal) {
        name = sigabbrev_np(signal);
        return name ? darn_pool_format(pool, "SIG%s", name)
                    : darn_pool_format(pool, "signal %d", signal);
    }
    if (result->end == DARN_END_EXIT && WIFEXITED(result->status))
        return darn_pool_format(pool, "status %d", WEXITSTATUS(result->status));
    if (result->end == DARN_END_LIVELOCK)
        return "every thread gets its turn, and the same state comes again";
    return NULL;
}

/* Where the sanitizer says that it is; NULL: it says nothing. */
static struct darn_finding *make_reported(const struct darn_snapshot *snapshot)
{
    struct darn_block_thread thread = {.thread = UINT32_MAX};
    struct darn_finding *finding = darn_snapshot_finding(snapshot, "failure", "scheduler", 1);

    finding->detail = darn_snapshot_sanitizer(snapshot, &finding->pool, &thread);
    if (!finding->detail) {
        darn_finding_free(finding);
        return NULL;
    }
    darn_snapshot_access(snapshot, finding, &thread, &finding->accesses[0]);
    if (thread.thread == UINT32_MAX)
        finding->accesses[0].thread = NULL;
    finding->accesses[0].locks_unknown = true;
    forget_intentions(finding);
    return finding;
}

static struct darn_finding *make_failure(const struct darn_snapshot *snapshot)
{
    const struct darn_result *result = &snapshot->block->result;
    struct darn_finding *finding = snapshot->output ? make_reported(snapshot) : NULL;

    if (finding)
        return finding;
    if (result->signal) {
        finding = darn_snapshot_finding(snapshot, "failure", "scheduler", 1);
        make_struck(snapshot, finding);
    } else {
        finding = make_others(snapshot, result->end != DARN_END_EXIT);
    }
    forget_intentions(finding);
    finding->detail = describe_end(result, &finding->pool);
    return finding;
}

/* The stack of abort may end within the C library: the last step of the thread is not where it
 * fails, but people find their way from there. */
static void use_last_step(const struct darn_snapshot *snapshot, struct darn_finding *finding)
{
    struct darn_finding_access *access = &finding->accesses[0];
    struct darn_snapshot_place place = {.file = NULL};
    uint32_t thread;

    if (access->op != DARN_OP_STOP || access->file || !access->thread)
        return;
    thread = (uint32_t)strtoul(access->thread + 1, NULL, 10);
    for (uint64_t i = darn_snapshot_steps(snapshot); i-- && !place.file;) {
        const struct darn_step *step = &snapshot->block->steps[i];

        if (step->thread == thread && step->op != DARN_STEP_START)
            place = darn_snapshot_place(snapshot, &finding->pool, (enum darn_step_op)step->op,
                                        step->place);
    }
    if (!place.file)
        return;
    access->file = place.file;
    access->dir = place.dir;
    access->function = place.function;
    access->line = place.line;
    access->column = place.column;
    access->last_seen = true;
    finding->id = NULL;
    darn_identify(finding);
}

struct darn_finding *darn_snapshot_failure(const struct darn_snapshot *snapshot,
                                           const char *outcome)
{
    bool stuck = snapshot->block->result.end == DARN_END_DEADLOCK;
    struct darn_finding *finding = stuck ? make_circle(snapshot) : NULL;

    if (stuck && !finding)
        finding = make_waiters(snapshot);
    if (stuck && !finding)
        finding = make_abandoned(snapshot);
    if (!finding) {
        finding = make_failure(snapshot);
        finding->reason = darn_pool_text(&finding->pool, outcome);
    }
    finding->outcomes = darn_pool_get(&finding->pool, 1, sizeof(*finding->outcomes));
    finding->outcomes[finding->outcome_count++] = darn_pool_text(&finding->pool, outcome);
    darn_snapshot_complete(snapshot, finding);
    use_last_step(snapshot, finding);
    return finding;
}
