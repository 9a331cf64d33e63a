#define _GNU_SOURCE
#include "runtime/report/crash.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <ucontext.h>

#include "runtime/order/ordering.h"
#include "runtime/os/os.h"
#include "runtime/report/found.h"
#include "runtime/state.h"
#include "runtime/thread/deadly.h"
#include "runtime/thread/thread.h"

#define PAGE 4096

/* x86: an access to a page, and what kind it was. */
#define TRAP_PAGE_FAULT 14
#define ERROR_WRITE     2
#define ERROR_RUN       16

/* Who comes while another thread reports its crash waits for so many milliseconds at most. */
#define PATIENCE 20000

/* One at a time, and static: the stack may be a tiny one. */
static struct darn_crash crash;
static _Atomic int crasher; /* the thread that reports */
static volatile int first_number;

static uintptr_t register_of(const ucontext_t *state, int which)
{
    return (uintptr_t)state->uc_mcontext.gregs[which];
}

static void fill_stack(struct darn_stack *stack, const struct darn_thread *thread,
                       const ucontext_t *state)
{
    struct darn_stack_registers registers = {
        register_of(state, REG_RIP), register_of(state, REG_RSP), register_of(state, REG_RBP),
        .is_lost = crash.fault == DARN_FAULT_RUN};

    stack->depth = darn_stack_interrupted(stack->pcs, DARN_STACK_DEPTH, thread, &registers);
}

/* Of an address that no program can have the processor does not say which it was. */
static void fill_fault(const siginfo_t *info, const ucontext_t *state)
{
    uintptr_t error = register_of(state, REG_ERR);

    crash.fault = DARN_FAULT_NONE;
    crash.address = (uintptr_t)info->si_addr;
    if ((info->si_signo != SIGSEGV && info->si_signo != SIGBUS) || info->si_code <= 0 ||
        info->si_code == SI_KERNEL || register_of(state, REG_TRAPNO) != TRAP_PAGE_FAULT)
        return;
    crash.fault = error & ERROR_RUN     ? DARN_FAULT_RUN
                  : error & ERROR_WRITE ? DARN_FAULT_WRITE
                                        : DARN_FAULT_READ;
}

/* The pointer was read a moment ago, and is null: who has written it? */
static void find_null(const struct darn_thread *thread)
{
    uint64_t seen = atomic_load_explicit(&thread->seen, memory_order_relaxed);

    for (uint64_t i = 1; i <= DARN_RECENT && i <= seen && !crash.other_count; i++) {
        const struct darn_recent *recent = &thread->recent[(seen - i) % DARN_RECENT];
        uintptr_t value;

        if (recent->size != sizeof(value) || recent->address < PAGE ||
            darn_os_copy(&value, (const void *)recent->address, sizeof(value)) != sizeof(value) ||
            value)
            continue;
        crash.other_count =
            darn_order_last(thread->number, recent->address, false, crash.others, 1);
        if (crash.other_count && crash.others[0].touch.op == DARN_OP_READ)
            crash.other_count = 0;
    }
}

static void fill(const struct darn_thread *thread, const siginfo_t *info, const ucontext_t *state)
{
    fill_fault(info, state);
    crash.number = info->si_signo;
    crash.is_alone = darn_threads_count() < 2;
    crash.other_count = 0;
    darn_side_fill_waiting(&crash.side, thread, (const void *)register_of(state, REG_RBP));
    darn_os_thread_name(crash.side.name);
    fill_stack(&crash.side.stack, thread, state);
    if (crash.fault != DARN_FAULT_NONE && crash.address < PAGE)
        find_null(thread);
    else if (crash.fault != DARN_FAULT_NONE)
        crash.other_count =
            darn_order_last(thread->number, crash.address, !darn_os_is_mapped(crash.address),
                            crash.others, DARN_CRASH_OTHERS);
}

/* Whoever has killed the program from outside knows why. */
static bool is_own(const siginfo_t *info)
{
    return info->si_code > 0 || info->si_pid == darn_state.pid;
}

/* By the signal that came first, should the report have run into another one. The signal strikes
 * again when the handler has returned, and kills as it would have without us: by itself if an
 * instruction causes it, else because we send it. */
static void die(int number, const siginfo_t *info)
{
    sigset_t set;

    darn_deadly_unwatch();
    if (first_number && first_number != number) {
        sigemptyset(&set);
        sigaddset(&set, first_number);
        pthread_sigmask(SIG_UNBLOCK, &set, NULL);
        raise(first_number);
    }
    if (info->si_code <= 0)
        raise(number);
}

/* Whether the calling thread is the one that reports. */
static bool is_first(int number)
{
    int own = darn_os_thread_id(), expected = 0;

    if (atomic_compare_exchange_strong(&crasher, &expected, own)) {
        first_number = number;
        return true;
    }
    for (int i = 0; expected != own && i < PATIENCE; i++)
        darn_os_sleep(1000000);
    return false;
}

static void handle(int number, siginfo_t *info, void *context)
{
    const struct darn_thread *thread = darn_thread_peek();
    uint64_t mask;

    if (darn_os_process_id() != darn_state.pid || !is_first(number)) {
        die(number, info);
        return;
    }
    mask = darn_os_block_signals();
    if (thread && is_own(info) && !darn_state.finished) {
        fill(thread, info, context);
        darn_finding_crash(&crash);
    }
    darn_state.is_asked = false; /* it is not said that all is well */
    darn_finish(128 + number);
    darn_os_restore_signals(mask);
    die(number, info);
}

void darn_crash_watch(void)
{
    darn_deadly_watch(handle);
}
