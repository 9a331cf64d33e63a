/*
 * What a user should know of a hunt besides findings: how many runs there were, and what has kept
 * them from showing more.
 */
#include "driver/hunt/hunt.h"

static void note_runs(const struct darn_hunt *hunt)
{
    darn_tell_note(
        hunt->listener,
        "runs: %llu recorded or to learn from, %llu under control, %llu of them explored",
        (unsigned long long)(hunt->recorded + hunt->exploration.learning),
        (unsigned long long)hunt->runs, (unsigned long long)hunt->explored);
}

/* Where few runs fit into the time, that little was found says little. */
static void note_long(const struct darn_hunt *hunt)
{
    double seconds =
        hunt->tried ? hunt->tried_seconds / (double)hunt->tried : hunt->exploration.seconds;

    if (hunt->runs && darn_hunt_is_long(hunt))
        darn_tell_note(hunt->listener,
                       "note: runs are long, %.2g s each: with a smaller input, or --seconds=%llu, "
                       "more of them are made",
                       seconds, (unsigned long long)hunt->options.seconds_ms / 100);
}

/* The status with which most of the runs have exited. */
static int usual_status(const struct darn_hunt *hunt, uint64_t *count)
{
    int usual = 0;

    *count = 0;
    for (int status = 0; status < DARN_PLAYER_STATUSES; status++) {
        uint64_t sum = 0;

        for (uint32_t i = 0; i < hunt->exploration.player_count; i++)
            sum += hunt->exploration.players[i].exits[status];
        if (sum > *count) {
            *count = sum;
            usual = status;
        }
    }
    return usual;
}

/* Predictions are about the run that was recorded: others that give up early need not come to what
 * they name. */
static void note_statuses(const struct darn_hunt *hunt)
{
    uint64_t count, runs = 0;
    int status = usual_status(hunt, &count);

    for (uint32_t i = 0; i < hunt->exploration.player_count; i++)
        runs += hunt->exploration.players[i].runs;
    if (hunt->recorded_status < 0 || status == hunt->recorded_status || count <= runs / 2)
        return;
    darn_tell_note(hunt->listener,
                   "note: %llu of %llu runs ended with status %d, the recorded one with %d: they "
                   "may not have come to what is predicted. If they are in each other's way, "
                   "--jobs=1 makes one after the other; --reset=COMMAND tidies up before each",
                   (unsigned long long)count, (unsigned long long)runs, status,
                   hunt->recorded_status);
}

static void note_unsteady(const struct darn_hunt *hunt)
{
    if (hunt->unsteady)
        darn_tell_note(
            hunt->listener,
            "%llu run%s failed, but not when replayed: something outside of the threads "
            "differs from run to run. Runs side by side in one directory may be the reason: "
            "--jobs=1 makes one after the other, --reset=COMMAND tidies up before each",
            (unsigned long long)hunt->unsteady, hunt->unsteady == 1 ? "" : "s");
}

void darn_hunt_notes(const struct darn_hunt *hunt)
{
    if (hunt->failed_count)
        darn_tell_note(hunt->listener,
                       "every run fails (%s): that has nothing to do with schedules",
                       darn_verdict_word(hunt->failed[0].symptom.kind));
    darn_exploration_notes(&hunt->exploration);
    note_runs(hunt);
    note_statuses(hunt);
    note_long(hunt);
    note_unsteady(hunt);
}
