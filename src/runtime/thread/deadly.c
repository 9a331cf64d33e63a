#define _GNU_SOURCE
#include "runtime/thread/deadly.h"

#include <stdatomic.h>
#include <stddef.h>

static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

#define SIGNALS (sizeof(deadly) / sizeof(deadly[0]))

/* The handler is set once, before `is_watching`. */
static struct sigaction ours = {.sa_flags = SA_ONSTACK | SA_SIGINFO};
static _Atomic bool is_watching;

/* The interceptor of sigaction, which is called here, makes ours of a default while we watch. */
static void renew_defaults(void)
{
    const struct sigaction usual = {.sa_handler = SIG_DFL};

    for (size_t i = 0; i < SIGNALS; i++) {
        struct sigaction before;

        if (sigaction(deadly[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(deadly[i], &usual, NULL);
    }
}

void darn_deadly_watch(void (*handler)(int number, siginfo_t *info, void *context))
{
    if (is_watching)
        return;
    ours.sa_sigaction = handler;
    is_watching = true;
    renew_defaults();
}

void darn_deadly_unwatch(void)
{
    if (!is_watching)
        return;
    is_watching = false;
    renew_defaults();
}

const struct sigaction *darn_deadly_default(int number)
{
    for (size_t i = 0; is_watching && i < SIGNALS; i++) {
        if (deadly[i] == number)
            return &ours;
    }
    return NULL;
}

bool darn_deadly_hide(struct sigaction *old)
{
    if (!ours.sa_sigaction || old->sa_sigaction != ours.sa_sigaction)
        return false;
    *old = (struct sigaction){.sa_handler = SIG_DFL};
    return true;
}
