#define _GNU_SOURCE
#include "runtime/report/crash.h"

#include <signal.h>
#include <stddef.h>

#include "runtime/state.h"

static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

/* The signal strikes again when the handler has returned, and kills as it would have without us: by
 * itself if an instruction causes it, else because we send it. */
static void say_last_word(int number, siginfo_t *info, void *unused)
{
    (void)unused;
    darn_finish(128 + number);
    signal(number, SIG_DFL);
    if (info->si_code <= 0)
        raise(number);
}

/* Only where the program left the default: its own handlers are its own affair. */
void darn_crash_watch(void)
{
    for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++) {
        struct sigaction action;

        if (sigaction(deadly[i], NULL, &action) || action.sa_handler != SIG_DFL)
            continue;
        action =
            (struct sigaction){.sa_sigaction = say_last_word, .sa_flags = SA_ONSTACK | SA_SIGINFO};
        sigaction(deadly[i], &action, NULL);
    }
}
