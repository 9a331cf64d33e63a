#define _GNU_SOURCE
#include "runtime/crash.h"

#include <signal.h>
#include <stddef.h>

#include "runtime/state.h"

static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

/* The signal strikes again when the handler has returned, and kills as it would have without us. */
static void say_last_word(int number)
{
    darn_finish(128 + number);
    signal(number, SIG_DFL);
    raise(number);
}

/* Only where the program left the default: its own handlers are its own affair. */
void darn_crash_watch(void)
{
    for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++) {
        struct sigaction action;

        if (sigaction(deadly[i], NULL, &action) || action.sa_handler != SIG_DFL)
            continue;
        action = (struct sigaction){.sa_handler = say_last_word, .sa_flags = SA_ONSTACK};
        sigaction(deadly[i], &action, NULL);
    }
}
