/*
 * Locks and critical sections of OpenMP. What else orders its threads it tells by itself
 * (intercept_ompt.c), but of these it tells too late: when another thread may have the lock
 * already. And whose code teams and tasks are made of, it does not tell at all.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/interpose/intercept.h"
#include "runtime/interpose/lockops.h"
#include "runtime/interpose/openmp.h"
#include "runtime/order/ordering.h"
#include "runtime/order/outside.h"
#include "runtime/record/record.h"
#include "runtime/thread/locks.h"
#include "runtime/thread/thread.h"

#define FRAME __builtin_frame_address(0)

/* The library may come with another one, long after the program has started. */
#define REAL(name)                                                                                 \
    ((__typeof__(real_##name))darn_real_late((void **)&real_##name, #name,                         \
                                             __builtin_return_address(0)))

/* The library's own calls take them and give them back: only the kind is needed here. */
static const struct darn_lockable openmp_locks = {.kind = DARN_LOCK_OPENMP};

static void before(volatile void *lock, const void *frame)
{
    darn_lock_before(darn_thread_self(), &openmp_locks, lock, frame);
}

/* `result` is 0 or EBUSY. */
static void after(volatile void *lock, unsigned flags, int result, const void *frame)
{
    darn_lock_after(darn_thread_self(), &openmp_locks, lock, flags, result, frame);
}

/* Around its release. */
static void leave(volatile void *lock, const void *frame)
{
    struct darn_thread *thread = darn_thread_self();

    darn_noise_at_call(thread);
    darn_lock_given(thread, lock, frame);
}

static void left(volatile void *lock)
{
    darn_gate_leave(darn_thread_self(), lock);
}

/* ---- what the compiler makes of directives; `where` is its description of the place ---- */

DARN_INTERCEPT(void, __kmpc_critical, void *where, int32_t thread, void *lock)
{
    before(lock, FRAME);
    REAL(__kmpc_critical)(where, thread, lock);
    after(lock, 0, 0, FRAME);
}

DARN_INTERCEPT(void, __kmpc_critical_with_hint, void *where, int32_t thread, void *lock,
               uint32_t hint)
{
    before(lock, FRAME);
    REAL(__kmpc_critical_with_hint)(where, thread, lock, hint);
    after(lock, 0, 0, FRAME);
}

DARN_INTERCEPT(void, __kmpc_end_critical, void *where, int32_t thread, void *lock)
{
    leave(lock, FRAME);
    REAL(__kmpc_end_critical)(where, thread, lock);
    left(lock);
}

static char one_atomic, one_ordered; /* there is one lock for all of them */

DARN_INTERCEPT(void, __kmpc_atomic_start, void)
{
    before(&one_atomic, FRAME);
    REAL(__kmpc_atomic_start)();
    after(&one_atomic, 0, 0, FRAME);
}

DARN_INTERCEPT(void, __kmpc_atomic_end, void)
{
    leave(&one_atomic, FRAME);
    REAL(__kmpc_atomic_end)();
    left(&one_atomic);
}

/* Not a lock: who comes next is certain. */
DARN_INTERCEPT(void, __kmpc_ordered, void *where, int32_t thread)
{
    REAL(__kmpc_ordered)(where, thread);
    darn_record(darn_thread_self(), DARN_EVENT_RECEIVE, &one_ordered, NULL, 0, FRAME);
}

DARN_INTERCEPT(void, __kmpc_end_ordered, void *where, int32_t thread)
{
    darn_record(darn_thread_self(), DARN_EVENT_SEND, &one_ordered, NULL, 0, FRAME);
    REAL(__kmpc_end_ordered)(where, thread);
}

/* The same between iterations; `which` they are. */
DARN_INTERCEPT(void, __kmpc_doacross_wait, void *where, int32_t thread, const int64_t *which)
{
    REAL(__kmpc_doacross_wait)(where, thread, which);
    darn_record(darn_thread_self(), DARN_EVENT_RECEIVE, &one_ordered, NULL, 0, FRAME);
}

DARN_INTERCEPT(void, __kmpc_doacross_post, void *where, int32_t thread, const int64_t *which)
{
    darn_record(darn_thread_self(), DARN_EVENT_SEND, &one_ordered, NULL, 0, FRAME);
    REAL(__kmpc_doacross_post)(where, thread, which);
}

/* What is done before a flush is seen by who flushes later, if an atomic variable tells so. That
 * one is of no use here: what OpenMP calls atomic is relaxed. */
DARN_INTERCEPT(void, __kmpc_flush, void *where)
{
    static const char one_flush;

    darn_record(darn_thread_self(), DARN_EVENT_SEND, &one_flush, NULL, 0, FRAME);
    REAL(__kmpc_flush)(where);
    darn_record(darn_thread_self(), DARN_EVENT_RECEIVE, &one_flush, NULL, 0, FRAME);
}

/* ---- locks ---- */

DARN_INTERCEPT(void, omp_set_lock, void *lock)
{
    before(lock, FRAME);
    REAL(omp_set_lock)(lock);
    after(lock, 0, 0, FRAME);
}

DARN_INTERCEPT(void, omp_set_nest_lock, void *lock)
{
    before(lock, FRAME);
    REAL(omp_set_nest_lock)(lock);
    after(lock, 0, 0, FRAME);
}

DARN_INTERCEPT(int, omp_test_lock, void *lock)
{
    int result;

    before(lock, FRAME);
    result = REAL(omp_test_lock)(lock);
    after(lock, DARN_EVENT_TRY, result ? 0 : EBUSY, FRAME);
    return result;
}

DARN_INTERCEPT(int, omp_test_nest_lock, void *lock)
{
    int result;

    before(lock, FRAME);
    result = REAL(omp_test_nest_lock)(lock);
    after(lock, DARN_EVENT_TRY, result ? 0 : EBUSY, FRAME);
    return result;
}

DARN_INTERCEPT(void, omp_unset_lock, void *lock)
{
    leave(lock, FRAME);
    REAL(omp_unset_lock)(lock);
    left(lock);
}

DARN_INTERCEPT(void, omp_unset_nest_lock, void *lock)
{
    leave(lock, FRAME);
    REAL(omp_unset_nest_lock)(lock);
    left(lock);
}

/* ---- teams and tasks ---- */

__thread enum darn_whose darn_next_team, darn_next_task;

static enum darn_whose whose(uintptr_t function)
{
    static __thread uintptr_t last; /* of ours: a look costs a system call */

    if (function != last && !darn_outside_is_marked(function))
        return DARN_FOREIGN;
    last = function;
    return DARN_OURS;
}

/* Its place, how many arguments there are, the function that the team calls, its arguments. */
DARN_INTERCEPT_RECORD(void, __kmpc_fork_call, NULL, void *, int32_t, void *, ...);
DARN_INTERCEPT_RECORD(void, __kmpc_fork_teams, NULL, void *, int32_t, void *, ...);

/* Returns the real function. */
__attribute__((visibility("hidden"), used)) void *darn_openmp_forks(uintptr_t function,
                                                                    const void *caller)
{
    darn_next_team = whose(function);
    return darn_real_late((void **)&real___kmpc_fork_call, "__kmpc_fork_call", caller);
}

__attribute__((visibility("hidden"), used)) void *darn_openmp_forks_teams(uintptr_t function,
                                                                          const void *caller)
{
    darn_next_team = whose(function);
    return darn_real_late((void **)&real___kmpc_fork_teams, "__kmpc_fork_teams", caller);
}

/* Nobody can pass on a list of arguments that he does not know: they stay where they are. */
#define FORKS(name, notes)                                                                         \
    __asm__(".section darn_text, \"ax\", @progbits\n.p2align 4\n.weak " #name "\n.type " #name     \
            ", @function\n" #name ":\n.cfi_startproc\n"                                            \
            "push %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset %rbp, -16\n"                           \
            "mov %rsp, %rbp\n.cfi_def_cfa_register %rbp\n"                                         \
            "push %rdi\npush %rsi\npush %rdx\npush %rcx\npush %r8\npush %r9\npush %rax\n"          \
            "push %rax\nmov %rdx, %rdi\nmov 8(%rbp), %rsi\ncall " #notes "\nmov %rax, %r11\n"      \
            "pop %rax\npop %rax\npop %r9\npop %r8\npop %rcx\npop %rdx\npop %rsi\npop %rdi\n"       \
            "pop %rbp\n.cfi_def_cfa %rsp, 8\njmp *%r11\n.cfi_endproc\n"                            \
            ".size " #name ", . - " #name "\n.globl __interceptor_" #name                          \
            "\n.set __interceptor_" #name ", " #name "\n.text\n")
FORKS(__kmpc_fork_call, darn_openmp_forks);
FORKS(__kmpc_fork_teams, darn_openmp_forks_teams);

DARN_INTERCEPT(void, __kmpc_fork_call_if, void *where, int32_t count, uintptr_t function,
               int32_t condition, void *arguments)
{
    darn_next_team = whose(function);
    REAL(__kmpc_fork_call_if)(where, count, function, condition, arguments);
}

/* The task's memory was another's before, which ended it (intercept_ompt.c). That has to come first
 * in a trace, too: there the two threads are only ordered by what they tell. */
DARN_INTERCEPT(void *, __kmpc_omp_task_alloc, void *where, int32_t thread, int32_t flags,
               size_t size, size_t shared, uintptr_t function)
{
    size_t all = ((size + 7) & ~(size_t)7) + shared;
    void *task;

    darn_next_task = whose(function);
    task = REAL(__kmpc_omp_task_alloc)(where, thread, flags, size, shared, function);
    if (task) {
        darn_order_forget((uintptr_t)task, all);
        if (darn_recording)
            darn_record_alloc(task, all, 0, FRAME);
    }
    return task;
}

/* The copies of its task that a loop makes begin where nobody sees it. */
static void loops(void)
{
    struct darn_thread *self = darn_thread_self();

    if (self)
        darn_order_after_all(self);
}

DARN_INTERCEPT(void, __kmpc_taskloop, void *where, int32_t thread, void *task, int32_t condition,
               uint64_t *from, uint64_t *to, int64_t step, int32_t grouped, int32_t schedule,
               uint64_t grain, void *copies)
{
    loops();
    REAL(__kmpc_taskloop)
    (where, thread, task, condition, from, to, step, grouped, schedule, grain, copies);
}

DARN_INTERCEPT(void, __kmpc_taskloop_5, void *where, int32_t thread, void *task, int32_t condition,
               uint64_t *from, uint64_t *to, int64_t step, int32_t grouped, int32_t schedule,
               uint64_t grain, int32_t strict, void *copies)
{
    loops();
    REAL(__kmpc_taskloop_5)
    (where, thread, task, condition, from, to, step, grouped, schedule, grain, strict, copies);
}
