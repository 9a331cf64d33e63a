/*
 * Handlers of signals: the program's own are called by ours where that has something to tell.
 */
#define _GNU_SOURCE
#include <signal.h>

#include "runtime/control/turn.h"
#include "runtime/heal/heal.h"
#include "runtime/interpose/intercept.h"
#include "runtime/order/ordering.h"
#include "runtime/order/outside.h"
#include "runtime/state.h"
#include "runtime/thread/deadly.h"

static void note_handler(bool is_one)
{
    darn_heal_signals |= is_one;
    if (is_one && darn_turns)
        darn_turn_expect_signals();
}

/*
 * A handler comes after whoever has installed it, and after whoever has sent the signal: so it is
 * called by ours, which says so. In controlled runs ours says that one has run: the call in which
 * the thread waits may fail by that. What the program asks for is what it has told.
 */
static struct {
    void (*run)(int number, siginfo_t *info, void *context);
    int takes_info; /* SA_SIGINFO, as the program has said */
    bool restarts;  /* SA_RESTART */
} handlers[NSIG];

static void handle(int number, siginfo_t *info, void *context)
{
    struct darn_thread *thread = darn_thread_peek();

    if (thread && darn_ordering)
        darn_order_after_all(thread);
    handlers[number].run(number, info, context);
    if (thread && darn_ordering)
        darn_order_after_all(thread); /* what it has come in between (order/ordering.c) */
    darn_turn_handled(handlers[number].restarts);
}

static void handle_number(int number)
{
    handle(number, NULL, NULL);
}

static bool is_ours(const void *handler)
{
    return handler == (const void *)handle || handler == (const void *)handle_number;
}

static bool is_handled(int number, uintptr_t handler)
{
    if (number <= 0 || number >= NSIG)
        return false;
    if (darn_state.mode == DARN_MODE_CONTROL)
        return handler != (uintptr_t)SIG_DFL && handler != (uintptr_t)SIG_IGN;
    return (darn_state.mode == DARN_MODE_WATCH || darn_state.mode == DARN_MODE_RECORD) &&
           darn_outside_is_marked(handler);
}

/* What the program asks for, or ours where that is the default (thread/deadly.h). */
static const struct sigaction *choose_action(int number, const struct sigaction *action)
{
    const struct sigaction *ours = darn_deadly_default(number);

    return ours && action && action->sa_handler == SIG_DFL ? ours : action;
}

DARN_INTERCEPT(int, sigaction, int number, const struct sigaction *action, struct sigaction *old)
{
    bool wraps = action && is_handled(number, (uintptr_t)action->sa_sigaction);
    struct sigaction before, after;
    int result;

    note_handler(action && action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN);
    if (number <= 0 || number >= NSIG)
        return DARN_REAL(sigaction)(number, action, old);
    before.sa_sigaction = handlers[number].run;
    before.sa_flags = handlers[number].takes_info;
    if (wraps) {
        after = *action;
        after.sa_sigaction = handle;
        after.sa_flags |= SA_SIGINFO;
        handlers[number].run = action->sa_sigaction;
        handlers[number].takes_info = action->sa_flags & SA_SIGINFO;
        handlers[number].restarts = action->sa_flags & SA_RESTART;
    }
    result = DARN_REAL(sigaction)(number, wraps ? &after : choose_action(number, action), old);
    if (result == 0 && old && !darn_deadly_hide(old) && is_ours((const void *)old->sa_sigaction)) {
        old->sa_sigaction = before.sa_sigaction;
        old->sa_flags = (old->sa_flags & ~SA_SIGINFO) | before.sa_flags;
    }
    return result;
}

/* `real`: there are several, which differ in what the kernel does when the signal comes. */
static sighandler_t set_handler(int number, sighandler_t handler,
                                sighandler_t (*real)(int, sighandler_t))
{
    const struct sigaction *ours = darn_deadly_default(number);
    sighandler_t before, old;
    struct sigaction last;

    note_handler(handler != SIG_DFL && handler != SIG_IGN);
    if (number <= 0 || number >= NSIG)
        return real(number, handler);
    before = (sighandler_t)(uintptr_t)handlers[number].run;
    if (is_handled(number, (uintptr_t)handler)) {
        handlers[number].run = (void (*)(int, siginfo_t *, void *))(uintptr_t)handler;
        handlers[number].takes_info = 0;
        handler = handle_number;
    }
    if (ours && handler == SIG_DFL) {
        DARN_REAL(sigaction)(number, ours, &last);
        old = last.sa_handler;
    } else {
        old = real(number, handler);
        if (old != SIG_ERR && DARN_REAL(sigaction)(number, NULL, &last) == 0)
            handlers[number].restarts = last.sa_flags & SA_RESTART;
        last.sa_handler = old;
    }
    return darn_deadly_hide(&last) ? SIG_DFL : is_ours((const void *)old) ? before : old;
}

#define SETS_HANDLER(name)                                                                         \
    DARN_INTERCEPT(sighandler_t, name, int number, sighandler_t handler)                           \
    {                                                                                              \
        return set_handler(number, handler, DARN_REAL(name));                                      \
    }

extern sighandler_t __sysv_signal(int number, sighandler_t handler); /* signal of -std=c11 */

SETS_HANDLER(signal)
SETS_HANDLER(bsd_signal)
SETS_HANDLER(ssignal)
SETS_HANDLER(sysv_signal)
SETS_HANDLER(__sysv_signal)
