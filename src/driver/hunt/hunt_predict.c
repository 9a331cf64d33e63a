/*
 * The first stage: what could happen, as darn predict says it. Its trace stays in the directory, so
 * that a hunt that is continued need not record again.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver/analysis/analysis.h"
#include "driver/hunt/hunt.h"
#include "driver/analysis/lineup.h"
#include "driver/analysis/recording.h"
#include "driver/play/shrinking.h"

#define SHARE 0.3 /* of the time, for all runs of the recording together */

/* Each run reads the same input. 0 or an exit status. */
static int give_input(const char *input)
{
    int fd = open(input ? input : "/dev/null", O_RDONLY);

    if (fd < 0 || dup2(fd, STDIN_FILENO) < 0)
        return darn_refuse("hunt", "%s cannot be read", input ? input : "/dev/null");
    if (fd != STDIN_FILENO)
        close(fd);
    return 0;
}

/* At most three runs learn if the program has spins, and one is recorded. */
static uint32_t limit_of(const struct darn_hunt *hunt)
{
    double limit = darn_hunt_left(hunt) * SHARE * 1000 / 2;

    return limit < 1000 ? 1000 : (uint32_t)limit;
}

/* 0 or an exit status. */
static int record(struct darn_hunt *hunt, const char *trace)
{
    static struct darn_recording recording = {
        .command = "hunt", .learn_runs = -1, .silent = true, .inside = true};
    const char *variable = getenv(DARN_OPTIONS_VARIABLE);
    char *before = variable ? strdup(variable) : NULL;
    int result = give_input(hunt->exploration.input), status = 0;

    darn_options_default(&recording.options);
    recording.output = trace;
    recording.program = hunt->line.program;
    recording.limit.milliseconds = limit_of(hunt);
    if (!result)
        result = darn_recording_run(&recording, &status);
    if (before)
        setenv(DARN_OPTIONS_VARIABLE, before, 1);
    else
        unsetenv(DARN_OPTIONS_VARIABLE);
    free(before);
    if (!result && recording.limit.was_reached)
        darn_hunt_say(hunt,
                      "predict: the program did not end within %.1f s; what it did until "
                      "then counts",
                      recording.limit.milliseconds / 1000.0);
    return result;
}

static enum darn_target_kind kind_of(const struct darn_finding *finding)
{
    if (darn_finding_is(finding, "atomicity-violation"))
        return finding->access_count == 4 ? DARN_TARGET_QUAD : DARN_TARGET_TRIPLE;
    return darn_finding_is(finding, "deadlock")       ? DARN_TARGET_DEADLOCK
           : darn_finding_is(finding, "notification") ? DARN_TARGET_NOTIFICATION
                                                      : DARN_TARGET_RACE;
}

/* What an earlier hunt has tried is not tried again. */
static void recall(struct darn_hunt *hunt, struct darn_target *target)
{
    const json_t *entry = darn_index_find(&hunt->index, target->finding->id);

    target->trials = (uint32_t)json_integer_value(json_object_get(entry, "trials"));
    target->begun = target->trials;
    target->proved = target->settled = entry && darn_index_is_proof(entry);
}

/* 0 or an exit status. */
static int make_targets(struct darn_hunt *hunt)
{
    hunt->target_room = hunt->predicted.count + DARN_MOST_MET;
    hunt->targets = calloc(hunt->target_room, sizeof(*hunt->targets));
    if (!hunt->targets)
        return darn_refuse("hunt", "out of memory");
    for (size_t i = 0; i < hunt->predicted.count; i++) {
        struct darn_target *target = &hunt->targets[hunt->target_count++];

        target->finding = hunt->predicted.items[i].finding;
        target->kind = kind_of(target->finding);
        recall(hunt, target);
    }
    darn_hunt_sort(hunt->targets, hunt->target_count);
    return 0;
}

static size_t count(const struct darn_hunt *hunt, enum darn_target_kind kind)
{
    size_t found = 0;

    for (size_t i = 0; i < hunt->target_count; i++)
        found += hunt->targets[i].kind == kind;
    return found;
}

static void say_predicted(struct darn_hunt *hunt, double seconds, bool recorded)
{
    size_t races = count(hunt, DARN_TARGET_RACE), deadlocks = count(hunt, DARN_TARGET_DEADLOCK);
    size_t notifications = count(hunt, DARN_TARGET_NOTIFICATION);
    size_t violations = count(hunt, DARN_TARGET_TRIPLE) + count(hunt, DARN_TARGET_QUAD);
    char others[64] = "";

    if (violations)
        snprintf(others, sizeof(others), ", %zu atomicity violation%s", violations,
                 violations == 1 ? "" : "s");

    darn_hunt_say(hunt,
                  "predict: %zu possible data race%s, %zu deadlock%s, %zu mishandled "
                  "notification%s%s (%s%.1f s)",
                  races, races == 1 ? "" : "s", deadlocks, deadlocks == 1 ? "" : "s", notifications,
                  notifications == 1 ? "" : "s", others,
                  recorded ? "" : "from the trace that was there, ", seconds);
}

/* Under another name until it is whole: a hunt that is killed meanwhile records it again. 0 or an
 * exit status. */
static int record_whole(struct darn_hunt *hunt, const char *trace)
{
    char draft[PATH_MAX + 16];
    int status;

    snprintf(draft, sizeof(draft), "%s/.trace", hunt->directory);
    status = record(hunt, draft);
    if (!status && (chmod(draft, 0600) || rename(draft, trace)))
        status = darn_refuse("hunt", "%s: %s", trace, strerror(errno));
    return status;
}

int darn_hunt_predict(struct darn_hunt *hunt)
{
    char trace[PATH_MAX + 16];
    struct darn_analysis_options options = {
        .command = "hunt",
        .engines = DARN_LINEUP_ATOMICITY,
        .suppressions = hunt->line.suppressions,
        .strip_path_prefix = hunt->line.strip_path_prefix,
        .prefix = true,
        .arguments = hunt->line.program + 1,
    };
    double start = darn_clock();
    bool recorded = false;
    int status = 0;

    snprintf(trace, sizeof(trace), "%s/trace", hunt->directory);
    if (!hunt->resumed || access(trace, R_OK)) {
        recorded = true;
        status = record_whole(hunt, trace);
    }
    if (!status)
        status = darn_analysis_collect(&options, trace, &hunt->predicted);
    if (!status)
        status = make_targets(hunt);
    if (!status)
        say_predicted(hunt, darn_clock() - start, recorded);
    if (!status)
        status = darn_hunt_triples(hunt, trace);
    return status;
}
