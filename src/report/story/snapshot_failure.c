/* The finding that a controlled run ended badly. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "report/identity.h"
#include "report/story/snapshot_parts.h"

static const struct darn_block_thread *threads_of(const struct darn_scene *scene)
{
    return scene->block->result.threads;
}

/* Everybody in the circle, in its order. */
static struct darn_finding *make_circle(const struct darn_scene *scene)
{
    uint32_t circle[DARN_BLOCK_PLACES];
    size_t length = darn_scene_circle(scene, circle);
    struct darn_finding *finding;

    if (!length)
        return NULL;
    finding = darn_scene_finding(scene, "deadlock", "scheduler", length);
    for (size_t i = 0; i < length; i++)
        darn_scene_access(scene, finding, &threads_of(scene)[circle[i]], &finding->accesses[i]);
    return finding;
}

/* Waits that another thread would have to end by something that is no end of holding a lock. */
static bool waits_for_notice(const struct darn_scene *scene, const struct darn_block_thread *thread)
{
    return darn_scene_is_blocked(scene, thread) &&
           (thread->op == DARN_STEP_WAIT || thread->op == DARN_STEP_TAKE ||
            thread->op == DARN_STEP_BARRIER || thread->op == DARN_STEP_SPIN);
}

/* All who wait for the same as the first who waits; then, with nobody like that, the first who
 * waits for a lock that nobody will ever give back. */
static struct darn_finding *make_waiters(const struct darn_scene *scene)
{
    const struct darn_block_thread *threads = threads_of(scene), *first = NULL;
    struct darn_finding *finding;
    size_t count = 0;

    for (uint32_t i = 0; i < darn_scene_threads(scene); i++)
        if (waits_for_notice(scene, &threads[i]) && (!first || threads[i].thread < first->thread))
            first = &threads[i];
    if (!first)
        return NULL;
    for (uint32_t i = 0; i < darn_scene_threads(scene); i++)
        count += waits_for_notice(scene, &threads[i]) && threads[i].object == first->object;
    finding = darn_scene_finding(scene, "notification", "scheduler", count);
    finding->reason = "no-signaller";
    count = 0;
    for (uint32_t i = 0; i < darn_scene_threads(scene); i++)
        if (waits_for_notice(scene, &threads[i]) && threads[i].object == first->object)
            darn_scene_access(scene, finding, &threads[i], &finding->accesses[count++]);
    return finding;
}

static struct darn_finding *make_abandoned(const struct darn_scene *scene)
{
    const struct darn_block_thread *threads = threads_of(scene), *found = NULL;
    struct darn_finding *finding;

    for (uint32_t i = 0; i < darn_scene_threads(scene); i++) {
        const struct darn_block_thread *thread = &threads[i];

        /* Who waits for the end of somebody waits for what that one waits for. */
        if (darn_scene_is_blocked(scene, thread) &&
            (!found || (found->op == DARN_STEP_JOIN && thread->op != DARN_STEP_JOIN)))
            found = thread;
    }
    if (!found)
        return NULL;
    finding = darn_scene_finding(scene, "deadlock", "scheduler", 1);
    darn_scene_access(scene, finding, found, &finding->accesses[0]);
    return finding;
}

/* Where the signal struck: the instruction itself, while all other frames are return addresses and
 * are looked up one byte before. */
static void make_struck(const struct darn_scene *scene, struct darn_finding *finding)
{
    const struct darn_result *result = &scene->block->result;
    const struct darn_block_thread *known = darn_scene_thread(scene, result->signal_thread);
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
    darn_scene_access(scene, finding, &thread, &finding->accesses[0]);
}

/* How much a thread has to do with a run that does not end. */
static int weight_of(const struct darn_scene *scene, const struct darn_block_thread *thread)
{
    uint64_t steps = darn_scene_steps(scene);

    switch (thread->state) {
    case DARN_STATE_OUTSIDE:
        return 4;
    case DARN_STATE_RUNNING:
        return 3;
    case DARN_STATE_READY:
        return steps && scene->block->steps[steps - 1].thread == thread->thread ? 2 : 1;
    default:
        return 0;
    }
}

/* A thread that runs has made its step: it is where its stack says, which may be a call that does
 * not come back. */
static void add_thread(const struct darn_scene *scene, struct darn_finding *finding,
                       const struct darn_block_thread *thread, struct darn_finding_access *to)
{
    struct darn_block_thread there = *thread;

    if (there.state == DARN_STATE_RUNNING && there.depth &&
        scene->block->result.end != DARN_END_EXIT)
        there.op = DARN_STEP_NONE;
    darn_scene_access(scene, finding, &there, to);
}

/* The thread that did something last, and for a run that does not end all others as well. */
static struct darn_finding *make_others(const struct darn_scene *scene, bool all)
{
    const struct darn_block_thread *threads = threads_of(scene), *first = NULL;
    uint32_t total = darn_scene_threads(scene);
    struct darn_finding *finding;
    size_t count = 0;

    for (uint32_t i = 0; i < total; i++) {
        bool alive = threads[i].state != DARN_STATE_ENDED && threads[i].state != DARN_STATE_NONE;

        count += alive;
        if (alive && (!first || weight_of(scene, &threads[i]) > weight_of(scene, first)))
            first = &threads[i];
    }
    count = all && count ? count : 1;
    finding = darn_scene_finding(scene, "failure", "scheduler", count);
    if (!first) {
        finding->accesses[0].op = DARN_OP_STOP;
        return finding;
    }
    add_thread(scene, finding, first, &finding->accesses[0]);
    for (uint32_t i = 0, at = 1; at < count; i++)
        if (&threads[i] != first && threads[i].state != DARN_STATE_ENDED &&
            threads[i].state != DARN_STATE_NONE)
            add_thread(scene, finding, &threads[i], &finding->accesses[at++]);
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
    if (result->end == DARN_END_STEPS)
        return darn_pool_format(pool, "after %llu steps it was stopped",
                                (unsigned long long)result->steps);
    return NULL;
}

static struct darn_finding *make_failure(const struct darn_scene *scene)
{
    const struct darn_result *result = &scene->block->result;
    struct darn_finding *finding;

    if (result->signal) {
        finding = darn_scene_finding(scene, "failure", "scheduler", 1);
        make_struck(scene, finding);
    } else {
        finding = make_others(scene, result->end != DARN_END_EXIT);
    }
    forget_intentions(finding);
    finding->detail = describe_end(result, &finding->pool);
    return finding;
}

/* The stack of abort may end within the C library: the last step of the thread is not where it
 * fails, but people find their way from there. */
static void use_last_step(const struct darn_scene *scene, struct darn_finding *finding)
{
    struct darn_finding_access *access = &finding->accesses[0];
    struct darn_scene_place place = {.file = NULL};
    uint32_t thread;

    if (access->op != DARN_OP_STOP || access->file || !access->thread)
        return;
    thread = (uint32_t)strtoul(access->thread + 1, NULL, 10);
    for (uint64_t i = darn_scene_steps(scene); i-- && !place.file;) {
        const struct darn_step *step = &scene->block->steps[i];

        if (step->thread == thread && step->op != DARN_STEP_START)
            place =
                darn_scene_place(scene, &finding->pool, (enum darn_step_op)step->op, step->place);
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

struct darn_finding *darn_scene_failure(const struct darn_scene *scene, const char *outcome)
{
    bool stuck = scene->block->result.end == DARN_END_DEADLOCK;
    struct darn_finding *finding = stuck ? make_circle(scene) : NULL;

    if (stuck && !finding)
        finding = make_waiters(scene);
    if (stuck && !finding)
        finding = make_abandoned(scene);
    if (!finding) {
        finding = make_failure(scene);
        finding->reason = darn_pool_text(&finding->pool, outcome);
    }
    finding->outcomes = darn_pool_get(&finding->pool, 1, sizeof(*finding->outcomes));
    finding->outcomes[finding->outcome_count++] = darn_pool_text(&finding->pool, outcome);
    darn_scene_complete(scene, finding);
    use_last_step(scene, finding);
    return finding;
}
