/* Deadly signals of a controlled run, and the one by which the command asks where everybody is. */
#define _GNU_SOURCE
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "runtime/control/busy.h"
#include "runtime/control/control.h"
#include "runtime/control/capture.h"
#include "runtime/control/slots.h"
#include "runtime/control/turn.h"
#include "runtime/os/os.h"
#include "runtime/state.h"
#include "runtime/thread/stack.h"
#include "runtime/thread/thread.h"

static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};

/* Where all threads are, and this one, which a signal has interrupted. */
static void note_threads(const struct darn_thread *thread, const ucontext_t *state)
{
    struct darn_result *result = &darn_control->result;
    struct darn_stack_registers registers = {
        (uintptr_t)state->uc_mcontext.gregs[REG_RIP], (uintptr_t)state->uc_mcontext.gregs[REG_RSP],
        (uintptr_t)state->uc_mcontext.gregs[REG_RBP], .is_lost = false};

    result->signal_thread = thread ? thread->number : 0;
    result->signal_pc = (uint64_t)state->uc_mcontext.gregs[REG_RIP];
    darn_capture_threads();
    for (uint32_t i = 0; thread && i < result->thread_count; i++) {
        struct darn_block_thread *to = &result->threads[i];

        if (to->thread == thread->number)
            to->depth =
                (uint8_t)darn_stack_interrupted(to->stack, DARN_BLOCK_STACK, thread, &registers);
    }
}

static void note_signal(int number, void *context)
{
    struct darn_result *result = &darn_control->result;
    const ucontext_t *state = context;
    struct darn_thread *thread = darn_thread_peek();

    if (result->signal)
        return;
    if (thread && thread->slot)
        thread->slot->inside = true;
    result->signal = (uint32_t)number;
    note_threads(thread, state);
    if (darn_control_wants(DARN_RUN_HOLD))
        darn_capture_hold();
}

static void die(int number, siginfo_t *info, void *context)
{
    if (darn_turns && darn_os_process_id() == darn_state.pid)
        note_signal(number, context);
    signal(number, SIG_DFL);
    if (info->si_code <= 0)
        raise(number);
}

/* The command has lost its patience. Whoever has the turn knows best where it is. */
static void tell(int number, siginfo_t *info, void *context)
{
    struct darn_thread *thread = darn_thread_peek();
    int holder = darn_turn_holder();

    (void)info;
    if (!darn_turns || darn_os_process_id() != darn_state.pid)
        return;
    if (thread && thread->slot && darn_busy_give_way(thread->slot))
        return;
    if (holder && holder != darn_os_thread_id()) {
        syscall(SYS_tgkill, darn_state.pid, holder, number);
        return;
    }
    if (thread && thread->slot)
        thread->slot->inside = true;
    note_threads(thread, context);
    darn_os_exit(0);
}

void darn_control_watch_signals(void)
{
    struct sigaction telling = {.sa_sigaction = tell,
                                .sa_flags = SA_ONSTACK | SA_SIGINFO | SA_RESTART};

    sigaction(DARN_SIGNAL_TELL, &telling, NULL);
    for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++) {
        struct sigaction action;

        if (sigaction(deadly[i], NULL, &action) || action.sa_handler != SIG_DFL)
            continue;
        action = (struct sigaction){.sa_sigaction = die, .sa_flags = SA_ONSTACK | SA_SIGINFO};
        sigaction(deadly[i], &action, NULL);
    }
}
