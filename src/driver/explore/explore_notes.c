/*
 * What a user should know of an exploration besides findings.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "driver/explore/exploration.h"
#include "driver/process/syscalls.h"

/* Inputs that were not recorded, by enum darn_input. */
static void note_unrecorded(const struct darn_exploration *exploration)
{
    static const char *const names[DARN_INPUTS] = {
        [DARN_INPUT_RANDOM] = "random numbers",
        [DARN_INPUT_PID] = "process ids",
        [DARN_INPUT_SOCKET] = "sockets",
        [DARN_INPUT_DEVICE] = "devices",
    };
    uint32_t bits = exploration->unrecorded;
    char list[128] = "";

    for (int i = 0; i < DARN_INPUTS; i++)
        if (bits & 1u << i)
            snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s", *list ? ", " : "",
                     names[i]);
    if (bits)
        darn_tell_note(
            exploration->listener,
            "note: the program reads what is not recorded and may differ in a replay: %s", list);
}

/* A call that is made past our interceptors: by code that calls the system itself. */
static void note_stuck(const struct darn_exploration *exploration)
{
    long number = (long)exploration->stuck_call - 1;
    const char *name = darn_syscall_name(number);
    char unnamed[32];

    snprintf(unnamed, sizeof(unnamed), "system call %ld", number);
    darn_tell_note(exploration->listener,
                   "note: T%u waited in %s, which darn does not intercept there: others went on "
                   "without it, and a replay may differ",
                   exploration->stuck_thread, name ? name : unnamed);
}

/* What a run would have shown that was cut off is not known. */
static void note_cut(const struct darn_exploration *exploration)
{
    double seconds = exploration->players ? exploration->players[0].judge.timeout_ms / 1000.0
                                          : exploration->options->timeout_ms / 1000.0;

    if (exploration->is_endless)
        return; /* all are */
    if (exploration->cut_by_steps)
        darn_tell_note(exploration->listener,
                       "note: %" PRIu64 " run%s cut off after %" PRIu64
                       " steps; --max-steps=%" PRIu64 " gives them more",
                       exploration->cut_by_steps,
                       exploration->cut_by_steps == 1 ? " was" : "s were", exploration->max_steps,
                       exploration->max_steps * 10);
    if (exploration->cut_by_time)
        darn_tell_note(exploration->listener,
                       "note: %" PRIu64 " run%s cut off after %g s; --timeout=%g gives them more",
                       exploration->cut_by_time, exploration->cut_by_time == 1 ? " was" : "s were",
                       seconds, seconds * 10);
    if (exploration->cut_waiting)
        darn_tell_note(exploration->listener,
                       "note: at the end of %" PRIu64 " of them threads did nothing but wait, each "
                       "time until the time was over%s: what they wait for may never come",
                       exploration->cut_waiting, exploration->waiting);
}

/* No run has ended well. */
static void note_usual(const struct darn_exploration *exploration)
{
    const struct darn_judged *straight = &exploration->straight;
    char how[DARN_JUDGE_TEXT + 32];

    if (straight->kind == DARN_VERDICT_EXIT)
        snprintf(how, sizeof(how), "ends with the status %d",
                 WEXITSTATUS(exploration->straight_status));
    else
        snprintf(how, sizeof(how), "fails (%s)", straight->text);
    if (exploration->usual == exploration->schedules)
        darn_tell_note(exploration->listener, "every run %s: that has nothing to do with schedules",
                       how);
    else
        darn_tell_note(exploration->listener,
                       "no run ends well, and one in which no thread is interrupted %s: that need "
                       "not have to do with schedules",
                       how);
}

void darn_exploration_notes(const struct darn_exploration *exploration)
{
    struct darn_listener *listener = exploration->listener;

    if (exploration->schedules && exploration->without_choice == exploration->schedules)
        darn_tell_note(listener, "note: there was never more than one thread that could go on");
    if (exploration->usual && !exploration->fine)
        note_usual(exploration);
    if (darn_verdict_is_failure(exploration->straight.kind) && exploration->first_bug)
        darn_tell_note(listener, "note: it fails when no thread is interrupted, too: the schedule "
                                 "may not matter");
    if (exploration->processes)
        darn_tell_note(listener, "note: the program starts processes, which run uncontrolled");
    if (exploration->stuck)
        note_stuck(exploration);
    note_cut(exploration);
    note_unrecorded(exploration);
}
