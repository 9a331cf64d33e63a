/*
 * OpenMP tells what it does: its library asks for a tool (ompt_start_tool) and calls it back
 * (OpenMP 5.2, chapter 19). Who orders what:
 *
 * - the beginning of a parallel region before all that its team does, and that before its end;
 * - what a thread did before a barrier before what others do after it;
 * - the creation of a task before the task, and the task before whoever has waited for it.
 *
 * Which of the tasks of a team somebody has waited for is not looked into: it may have been all
 * that are complete. Locks and critical sections are not taken from here (intercept_openmp.c).
 *
 * The library keeps a word for each team and each task. In that of a task, implicit ones
 * included, there is its team with a few bits; a team is known by the address of its word on the
 * stack of the thread that has begun it. So teams that come one after the other have the same
 * clocks, and need no new ones.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/interpose/intercept.h"
#include "runtime/interpose/openmp.h"
#include "runtime/order/ordering.h"
#include "runtime/order/outside.h"
#include "runtime/record/record.h"
#include "runtime/state.h"

#define FRAME __builtin_frame_address(0)

/* ---- the interface ---- */

enum callback {
    PARALLEL_BEGIN = 3,
    PARALLEL_END = 4,
    TASK_CREATE = 5,
    TASK_SCHEDULE = 6,
    IMPLICIT_TASK = 7,
    SYNC_REGION_WAIT = 16,
    SYNC_REGION = 23,
};

enum endpoint { SCOPE_BEGIN = 1, SCOPE_END = 2 };
enum region {
    TASKWAIT = 5,
    TASKGROUP = 6,
    REDUCTION = 7,
    BARRIER_PARALLEL = 9,
    BARRIER_TEAMS = 10
};
enum task_status {
    TASK_COMPLETE = 1,
    TASK_YIELD = 2,
    TASK_CANCEL = 3,
    TASK_DETACH = 4,
    TASK_SWITCH = 7
};
enum { TASK_FLAG_TASKWAIT = 0x10, TASK_FLAG_UNTIED = 0x10000000 };

struct tool {
    int (*initialize)(void *(*find)(const char *name), int device, uint64_t *data);
    void (*finalize)(uint64_t *data);
    uint64_t data;
};

/* ---- words and clocks ---- */

enum {
    PARITY = 1,      /* of an implicit task: which of the two clocks its next barrier has */
    UNTIED = PARITY, /* of an explicit one, which has no barriers */
    FOREIGN = 2,
    KNOWN = 4
};
#define MASTER (UINT64_C(1) << 63) /* the implicit task of the thread that has begun the region */
#define BITS   (MASTER | 7)

/* The clocks of a team, from its address on; that of a task is the address of its word. */
enum clock { TEAM, BARRIERS, COMPLETED = BARRIERS + 2 };

static volatile bool has_dependences; /* one task has told so */
static int (*task_memory)(void **address, size_t *size, int block);

static void order(enum darn_event_kind kind, uint64_t clock, const void *frame)
{
    if (!darn_state.finished) /* the trace is closed while threads of libomp still wait */
        darn_record(darn_thread_self(), kind, (const void *)clock, NULL, 0, frame);
}

static void release_team(uint64_t word, unsigned clock, const void *frame)
{
    order(DARN_EVENT_SEND, (word & ~BITS) + clock, frame);
}

static void acquire_team(uint64_t word, unsigned clock, const void *frame)
{
    order(DARN_EVENT_RECEIVE, (word & ~BITS) + clock, frame);
}

static void after_all(void)
{
    struct darn_thread *thread = darn_thread_self();

    if (thread)
        darn_order_after_all(thread);
}

/* ---- teams ---- */

static void set_foreign(uint64_t word)
{
    struct darn_thread *thread = darn_thread_self();

    if (thread && word)
        darn_order_set_foreign(thread, (word & FOREIGN) != 0);
}

/* A team of one goes on in the function that the thread is in; it does not fork. */
static bool is_foreign(const uint64_t *parent, unsigned requested)
{
    enum darn_whose team = darn_next_team;

    darn_next_team = DARN_NOBODYS;
    if (team == DARN_NOBODYS && requested == 1)
        return parent && *parent & FOREIGN;
    return team != DARN_OURS;
}

static void parallel_begin(uint64_t *parent, const void *caller, uint64_t *team, unsigned requested,
                           int flags, const void *code)
{
    (void)caller, (void)flags, (void)code;
    *team = ((uint64_t)team & ~BITS) | KNOWN | (is_foreign(parent, requested) ? FOREIGN : 0);
    release_team(*team, TEAM, FRAME);
}

/* The team may be somebody else's by now: its word is not read. */
static void parallel_end(uint64_t *team, uint64_t *task, int flags, const void *code)
{
    (void)team, (void)flags, (void)code;
    if (task)
        set_foreign(*task);
}

/* Others tell the end of theirs much later: when the next region begins. */
static void implicit_task_end(uint64_t *task)
{
    if (*task & MASTER) {
        acquire_team(*task, BARRIERS, FRAME);
        acquire_team(*task, BARRIERS + 1, FRAME);
        acquire_team(*task, COMPLETED, FRAME);
    }
    *task = 0;
}

static void implicit_task(int endpoint, const uint64_t *team, uint64_t *task, unsigned threads,
                          unsigned index, int flags)
{
    (void)threads, (void)flags;
    if (endpoint != SCOPE_BEGIN) {
        implicit_task_end(task);
        return;
    }
    *task = (team ? *team : 0) | KNOWN | (index ? 0 : MASTER);
    set_foreign(*task);
    acquire_team(*task, TEAM, FRAME);
}

/* ---- barriers, taskwait, taskgroup ---- */

static bool is_barrier(int kind)
{
    return kind != TASKWAIT && kind != TASKGROUP && kind != REDUCTION;
}

static bool is_last_barrier(int kind)
{
    return kind == BARRIER_PARALLEL || kind == BARRIER_TEAMS;
}

static void wait_end(int kind, int endpoint, uint64_t *team, uint64_t *task, const void *code)
{
    (void)team, (void)code;
    if (endpoint == SCOPE_BEGIN || !task || !*task)
        return;
    if (is_barrier(kind))
        acquire_team(*task, BARRIERS + (*task & PARITY), FRAME);
    acquire_team(*task, COMPLETED, FRAME);
}

/*
 * Who is slow may not have left a barrier when others arrive at the next one: hence two clocks. At
 * the end of a region its team is done with the word, and may be gone. (The library, which makes a
 * copy of it then, expects that copy to be 0 if a task waits for dependences meanwhile.)
 */
static void sync_region(int kind, int endpoint, uint64_t *team, uint64_t *task, const void *code)
{
    if (!task)
        return;
    if (endpoint == SCOPE_BEGIN && is_barrier(kind)) {
        release_team(*task, BARRIERS + (*task & PARITY), FRAME);
        if (is_last_barrier(kind) && !(*task & MASTER))
            *task = 0;
    }
    if (endpoint == SCOPE_END && *task) {
        wait_end(kind, endpoint, team, task, code);
        set_foreign(*task);
        *task ^= is_barrier(kind) ? PARITY : 0;
    }
}

/* ---- tasks ---- */

/* A wait for dependences is a task, too. Its word must stay 0 (see above). */
static void task_create(const uint64_t *parent, const void *caller, uint64_t *task, int flags,
                        int depends, const void *code)
{
    (void)caller, (void)code;
    has_dependences |= depends != 0;
    if (flags & TASK_FLAG_TASKWAIT)
        return;
    *task = (parent ? *parent & ~(MASTER | PARITY) : 0) | KNOWN |
            (darn_next_task == DARN_FOREIGN ? FOREIGN : 0) |
            (flags & TASK_FLAG_UNTIED ? UNTIED : 0);
    order(DARN_EVENT_SEND, (uintptr_t)task, FRAME);
}

/* The library uses it again for other tasks, and nobody sees when. What it calls the memory of a
 * task may begin behind up to 32 bytes that it keeps for itself, and that our code reads. */
static void forget_memory(void)
{
    void *start = NULL;
    size_t size = 0;

    task_memory(&start, &size, 0);
    if (!size)
        return;
    darn_order_forget((uintptr_t)start - 32, size + 32);
    darn_record_free((char *)start - 32, size + 32, false, NULL);
}

static void task_pauses(uint64_t *task, int status, const void *frame)
{
    if (status == TASK_YIELD || status == TASK_SWITCH) {
        order(DARN_EVENT_SEND, (uintptr_t)task, frame); /* another thread may go on with it */
        return;
    }
    if (!*task) {
        after_all(); /* dependences were waited for */
        return;
    }
    release_team(*task, COMPLETED, frame);
    if (status == TASK_COMPLETE || status == TASK_CANCEL || status == TASK_DETACH)
        forget_memory();
}

static void task_goes_on(const uint64_t *task, bool begins, const void *frame)
{
    order(DARN_EVENT_RECEIVE, (uintptr_t)task, frame);
    if (begins && !*task)
        after_all(); /* nobody has told its creation */
    if (*task && has_dependences)
        acquire_team(*task, COMPLETED, frame);
    set_foreign(*task);
}

/*
 * Who hands on an untied task is not done with it yet. Of all who have executed a part of it, the
 * one who comes back to the library last ends it, and calls its destructors, whoever had the last
 * part; and that others came back is not told. Until the library tells of something else, what
 * this thread does comes after all.
 */
static void hands_on(uint64_t prior)
{
    if (prior & UNTIED)
        set_foreign(prior | FOREIGN);
}

static void task_schedule(uint64_t *prior, int status, const uint64_t *next)
{
    uint64_t left = prior ? *prior : 0;

    if (prior)
        task_pauses(prior, status, FRAME);
    if (next)
        task_goes_on(next, status == TASK_YIELD || status == TASK_SWITCH, FRAME);
    if (status == TASK_SWITCH)
        hands_on(left);
}

/* ---- the tool ---- */

static int initialize(void *(*find)(const char *name), int device, uint64_t *data)
{
    static const struct {
        enum callback number;
        void (*function)(void);
    } callbacks[] = {
        {PARALLEL_BEGIN, (void (*)(void))parallel_begin},
        {PARALLEL_END, (void (*)(void))parallel_end},
        {TASK_CREATE, (void (*)(void))task_create},
        {TASK_SCHEDULE, (void (*)(void))task_schedule},
        {IMPLICIT_TASK, (void (*)(void))implicit_task},
        {SYNC_REGION_WAIT, (void (*)(void))wait_end},
        {SYNC_REGION, (void (*)(void))sync_region},
    };
    int (*set)(int, void (*)(void)) = (int (*)(int, void (*)(void)))find("ompt_set_callback");
    bool are_set = set != NULL;

    (void)device, (void)data;
    for (size_t i = 0; are_set && i < sizeof(callbacks) / sizeof(callbacks[0]); i++)
        are_set = set(callbacks[i].number, callbacks[i].function) == 5; /* always called */
    task_memory = (int (*)(void **, size_t *, int))find("ompt_get_task_memory");
    darn_openmp = are_set && task_memory ? DARN_OPENMP_TELLS : DARN_OPENMP_SILENT;
    return darn_openmp == DARN_OPENMP_TELLS;
}

static void finalize(uint64_t *data)
{
    (void)data;
}

/* One that the program has itself comes first. */
DARN_INTERCEPT(struct tool *, ompt_start_tool, unsigned version, const char *runtime)
{
    static struct tool tool = {.initialize = initialize, .finalize = finalize};
    struct tool *other = NULL;

    darn_real_late((void **)&real_ompt_start_tool, "ompt_start_tool", __builtin_return_address(0));
    if (!darn_real_is_missing(real_ompt_start_tool))
        other = real_ompt_start_tool(version, runtime);
    if (other || !darn_state.ready || darn_state.preloaded ||
        (darn_state.mode != DARN_MODE_WATCH && darn_state.mode != DARN_MODE_RECORD))
        return other;
    return &tool;
}
