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

#include "base/grow.h"
#include "driver/analysis/analysis.h"
#include "driver/hunt/hunt.h"
#include "driver/analysis/lineup.h"
#include "driver/analysis/recording.h"
#include "driver/play/shrinking.h"

/* Of the whole time: until then runs are recorded, and until then the trace is looked at. */
#define RECORDING 0.3
#define ANALYSIS  0.45

/* A run that dies has shown a part of what the program does. */
#define RECORDING_ATTEMPTS 3

/* Each run reads the same input. 0 or DARN_REFUSED. */
static int give_input(const struct darn_hunt *hunt)
{
    const char *input = hunt->exploration.input;
    int fd = open(input ? input : "/dev/null", O_RDONLY);

    if (fd < 0 || dup2(fd, STDIN_FILENO) < 0)
        return darn_tell_refusal(hunt->listener, "%s cannot be read", input ? input : "/dev/null");
    if (fd != STDIN_FILENO)
        close(fd);
    return 0;
}

/* When this share of the hunt is over. */
static double end_of(const struct darn_hunt *hunt, double share)
{
    return hunt->started + (hunt->until - hunt->started) * share;
}

/* 0 or DARN_REFUSED. */
static int record_to_the_end(struct darn_hunt *hunt, struct darn_recording *recording)
{
    int result = 0, status = 128;

    for (int i = 0; i < RECORDING_ATTEMPTS && !result && status >= 128; i++) {
        if (i && (recording->limit.was_reached || darn_clock() > recording->until ||
                  darn_hunt_is_interrupted(hunt)))
            break;
        result = darn_recording_run(recording, &status);
    }
    hunt->recorded_status = !result && status < 128 ? status : -1;
    return result;
}

/* 0 or DARN_REFUSED. */
static int record(struct darn_hunt *hunt, const char *trace)
{
    static struct darn_recording recording = {.learn_runs = -1, .silent = true, .inside = true};
    const char *variable = getenv(DARN_OPTIONS_VARIABLE);
    char *before = variable ? strdup(variable) : NULL;
    int result = give_input(hunt);

    recording.listener = hunt->listener;
    darn_options_default(&recording.options);
    recording.output = trace;
    recording.program = hunt->options.program;
    recording.until = end_of(hunt, RECORDING);
    recording.reset = hunt->options.reset;
    recording.limit.client.command = hunt->options.with;
    recording.limit.client.stop = (int)hunt->options.stop;
    if (!result)
        result = record_to_the_end(hunt, &recording);
    hunt->recorded += recording.made;
    if (before)
        setenv(DARN_OPTIONS_VARIABLE, before, 1);
    else
        unsetenv(DARN_OPTIONS_VARIABLE);
    free(before);
    if (!result && recording.limit.was_reached)
        darn_tell_note(hunt->listener,
                       "predict: the program did not end within %.1f s; what it did until "
                       "then counts",
                       recording.limit.milliseconds / 1000.0);
    return result;
}

static enum darn_target_kind kind_of(const struct darn_finding *finding)
{
    if (darn_finding_is(finding, "atomicity-violation"))
        return finding->access_count == 4 ? DARN_TARGET_QUAD : DARN_TARGET_TRIPLE;
    return darn_finding_is(finding, "deadlock")          ? DARN_TARGET_DEADLOCK
           : darn_finding_is(finding, "notification")    ? DARN_TARGET_NOTIFICATION
           : darn_finding_is(finding, "order-violation") ? DARN_TARGET_ORDER
                                                         : DARN_TARGET_RACE;
}

/* What an earlier hunt has tried is not tried again. */
static void recall(struct darn_hunt *hunt, struct darn_target *target)
{
    const json_t *entry = darn_index_find(&hunt->index, target->finding->id);

    target->trials = target->kind == DARN_TARGET_ORDER
                         ? darn_hunt_recall_order(hunt, target)
                         : (uint32_t)json_integer_value(json_object_get(entry, "trials"));
    target->begun = target->trials;
    target->proved = target->settled = entry && darn_index_is_proof(entry);
    target->settled |= target->kind == DARN_TARGET_ORDER && target->trials;
}

static void make_targets(struct darn_hunt *hunt)
{
    hunt->target_room = hunt->predicted.count + DARN_MOST_MET;
    hunt->targets = darn_need_zeroed(hunt->target_room, sizeof(*hunt->targets));
    for (size_t i = 0; i < hunt->predicted.count; i++) {
        struct darn_target *target = &hunt->targets[hunt->target_count++];

        target->finding = hunt->predicted.items[i].finding;
        target->kind = kind_of(target->finding);
        recall(hunt, target);
    }
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
    size_t orders = count(hunt, DARN_TARGET_ORDER);
    size_t violations = count(hunt, DARN_TARGET_TRIPLE) + count(hunt, DARN_TARGET_QUAD);
    char others[96] = "";
    int used = 0;

    if (violations)
        used = snprintf(others, sizeof(others), ", %zu atomicity violation%s", violations,
                        violations == 1 ? "" : "s");
    if (orders)
        snprintf(others + used, sizeof(others) - (size_t)used,
                 ", %zu order%s that nothing enforces", orders, orders == 1 ? "" : "s");

    darn_tell_note(hunt->listener,
                   "predict: %zu possible data race%s, %zu deadlock%s, %zu mishandled "
                   "notification%s%s (%s%.1f s)",
                   races, races == 1 ? "" : "s", deadlocks, deadlocks == 1 ? "" : "s",
                   notifications, notifications == 1 ? "" : "s", others,
                   recorded ? "" : "from the trace that was there, ", seconds);
}

/* Under another name until it is whole: a hunt that is killed meanwhile records it again. 0 or
 * DARN_REFUSED. */
static int record_whole(struct darn_hunt *hunt, const char *trace)
{
    char draft[PATH_MAX + 16];
    int status;

    snprintf(draft, sizeof(draft), "%s/.trace", hunt->directory);
    status = record(hunt, draft);
    if (!status && (chmod(draft, 0600) || rename(draft, trace)))
        status = darn_tell_refusal(hunt->listener, "%s: %s", trace, strerror(errno));
    return status;
}

int darn_hunt_predict(struct darn_hunt *hunt)
{
    char trace[PATH_MAX + 16];
    struct darn_analysis_options options = {
        .engines = DARN_LINEUP_ATOMICITY,
        .suppressions = hunt->options.suppressions,
        .ignore_sync = hunt->options.report_spins,
        .suspect = true,
        .prefix = true,
        .arguments = hunt->options.program + 1,
        .until = end_of(hunt, ANALYSIS),
    };
    double start = darn_clock();
    bool recorded = false, is_late;
    int status = 0;

    snprintf(trace, sizeof(trace), "%s/trace", hunt->directory);
    if (!hunt->resumed || access(trace, R_OK)) {
        recorded = true;
        status = record_whole(hunt, trace);
    }
    is_late = status == DARN_LATE; /* there is no trace: what it would tell has to be met */
    if (!status)
        status = darn_analysis_collect(&options, hunt->listener, trace, &hunt->predicted);
    if (status && !is_late)
        return status;
    darn_hunt_add_brought(hunt);
    make_targets(hunt);
    say_predicted(hunt, darn_clock() - start, recorded);
    if (!is_late)
        status = darn_hunt_triples(hunt, trace, options.until);
    darn_hunt_sort(hunt->targets, hunt->target_count);
    if (!is_late && !status)
        darn_hunt_leads(hunt, trace, options.until);
    return is_late ? 0 : status;
}
