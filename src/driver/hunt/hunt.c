/*
 * A whole hunt: its stages, one after the other.
 */
#include "driver/hunt/hunt.h"

#include <stdlib.h>
#include <string.h>

#include "driver/hunt/hunt_directory.h"
#include "driver/process/signal_guard.h"
#include "driver/process/input.h"
#include "driver/process/interrupt.h"
#include "driver/process/launch.h"
#include "driver/process/program.h"

/* Of the time: runs have to be killed, files to be written. */
#define ENDING 0.03

#define MOST_OF_TIME 0.2 /* for the first run under control */

/* For the handler of signals. */
static struct darn_hunt *under_way;

/* The first one ends the stage, and what there is is printed; the second one ends the runs that are
 * under way, too. */
static void interrupt(int number)
{
    if (!darn_guard_asked())
        return;
    if (atomic_exchange(&under_way->exploration.interrupted, number))
        darn_exploration_end(&under_way->exploration);
    atomic_store(&under_way->exploration.enough, true);
}

/* A program that darn compiled, and no script that starts one. 0, with its path, or
 * DARN_REFUSED. */
static int check_program(const struct darn_hunt *hunt, char *path, size_t size)
{
    const char *name = hunt->options.program[0];
    int status = darn_check_program(hunt->listener, name, DARN_PROGRAM_COMPILED, path, size);

    if (!status && darn_program_kind(path) == DARN_PROGRAM_SCRIPT)
        status = darn_tell_refusal(hunt->listener,
                                   "%s is a script; name the program that it starts", name);
    return status;
}

/* 0 or DARN_REFUSED. */
static int read_suppressions(struct darn_hunt *hunt)
{
    char error[1024];

    if (!hunt->options.suppressions)
        return 0;
    hunt->suppressions =
        darn_suppressions_read(hunt->options.suppressions, NULL, error, sizeof(error));
    return hunt->suppressions ? 0 : darn_tell_refusal(hunt->listener, "suppressions: %s", error);
}

void darn_hunt_init(struct darn_hunt *hunt, const struct darn_hunt_options *options,
                    struct darn_listener *listener)
{
    *hunt = (struct darn_hunt){.options = *options, .listener = listener, .recorded_status = -1};
    darn_exploration_init(&hunt->exploration, listener);
    hunt->exploration.takes_endless = true;
}

/* What the optimizer takes for useless is gone: the failing access of a bug may be. */
static void say_level(const struct darn_hunt *hunt, const char *path)
{
    char level = darn_program_level(path);

    if (level && level != '0')
        darn_tell_note(hunt->listener, "built at -O%c: a build at -O0 may show more", level);
}

int darn_hunt_prepare(struct darn_hunt *hunt)
{
    char path[PATH_MAX];
    int status = read_suppressions(hunt);

    if (!status)
        status = darn_hunt_bring(hunt);
    if (!status && hunt->options.program)
        status = check_program(hunt, path, sizeof(path));
    if (!status)
        status = darn_hunt_settle_down(hunt);
    if (!status)
        status = check_program(hunt, path, sizeof(path));
    if (!status)
        status = darn_input_keep(hunt->listener, hunt->options.input, &hunt->exploration.input);
    if (!status)
        status = darn_hunt_begin(hunt, path);
    if (!status)
        say_level(hunt, path);
    return status;
}

/* A run that may not end at all must leave time for others. */
static uint32_t timeout_ms(const struct darn_hunt_options *options)
{
    double most = (double)options->seconds_ms * MOST_OF_TIME;

    return options->timeout_given || options->timeout_ms < most ? options->timeout_ms
                                                                : (uint32_t)most + 1;
}

/* Its servers are those of an exploration. */
static void make_explore_options(struct darn_hunt *hunt)
{
    const struct darn_hunt_options *wanted = &hunt->options;

    hunt->explore = (struct darn_explore_options){
        .schedules = UINT64_MAX,
        .timeout_ms = timeout_ms(wanted),
        .timeout_given = wanted->timeout_given,
        .jobs = wanted->jobs,
        .max_steps = wanted->max_steps,
        .max_steps_given = wanted->max_steps_given,
        .points = DARN_POINTS_SHARED,
        .keep_going = true,
        .races = true,
        .early = wanted->early,
        .report_spins = wanted->report_spins,
        .oracle = wanted->oracle,
        .reset = wanted->reset,
        .with = wanted->with,
        .stop = wanted->stop,
        .program = wanted->program,
    };
    hunt->exploration.options = &hunt->explore;
    hunt->exploration.learns_on = hunt->exploration.learns_late = true;
}

/* 0 or DARN_REFUSED. */
static int run_stages(struct darn_hunt *hunt)
{
    int status = darn_hunt_predict(hunt);

    if (status || darn_hunt_is_interrupted(hunt))
        return status;
    darn_hunt_save(hunt);
    status = darn_exploration_start(&hunt->exploration);
    if (status || darn_hunt_is_interrupted(hunt))
        return status;
    if (!darn_hunt_left(hunt))
        darn_tell_note(hunt->listener, "the time was over before anything could be tried; "
                                       "--seconds=S gives more");
    darn_hunt_recall(hunt);
    darn_hunt_baseline(hunt);
    status = darn_hunt_prove(hunt);
    if (!status)
        status = darn_hunt_explore(hunt);
    darn_hunt_reopen(hunt);
    if (!status)
        status = darn_hunt_prove(hunt);
    if (!status)
        status = darn_hunt_shrink(hunt);
    darn_hunt_notes(hunt);
    return status;
}

int darn_hunt_run(struct darn_hunt *hunt)
{
    int status;

    make_explore_options(hunt);
    under_way = hunt;
    darn_catch_interrupts(interrupt);
    hunt->started = darn_clock();
    hunt->until = hunt->started + hunt->options.seconds_ms / 1000.0 * (1 - ENDING);
    hunt->exploration.until = hunt->stage_until = hunt->until;
    status = run_stages(hunt);
    darn_exploration_stop(&hunt->exploration);
    return status == DARN_LATE ? 0 : status;
}

void darn_hunt_free(struct darn_hunt *hunt)
{
    for (size_t i = 0; i < hunt->target_count; i++) {
        for (int kind = 0; kind < DARN_VERDICTS; kind++)
            darn_schedule_free(hunt->targets[i].shown[kind]);
        free(hunt->targets[i].lead);
        if (hunt->targets[i].is_ours)
            darn_finding_free(hunt->targets[i].finding);
    }
    for (size_t i = 0; i < hunt->failed_count; i++)
        darn_schedule_free(hunt->failed[i].schedule);
    free(hunt->targets);
    darn_verdicts_free(&hunt->predicted);
    darn_map_free(&hunt->seen);
    darn_map_free(&hunt->usual);
    darn_map_free(&hunt->told);
    darn_suppressions_free(hunt->suppressions);
    json_decref(hunt->brought);
    darn_index_close(&hunt->index);
}
