/*
 * darn hunt: predicts what could go wrong, makes it happen, and says what is left of it.
 */
#include "driver/hunt/hunt.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/analysis/analysis.h"
#include "cli/color.h"
#include "cli/command.h"
#include "driver/process/signal_guard.h"
#include "driver/hunt/hunt_directory.h"
#include "driver/process/input.h"
#include "driver/process/launch.h"
#include "driver/process/output.h"
#include "driver/process/program.h"
#include "driver/play/shrinking.h"
#include "report/sink.h"

void darn_help_hunt(void)
{
    printf("usage: darn hunt [options] [--] PROGRAM [arguments]\n"
           "       darn hunt -o DIR\n"
           "\n"
           "Predicts which data races, deadlocks and mishandled notifications a program that\n"
           "darn cc or darn c++ compiled could have, makes each of them happen in controlled\n"
           "runs, explores other schedules for failures that nobody predicted, and shrinks\n"
           "the schedules of what it found. What is confirmed replays: darn replay DIR/1.\n"
           "The exit status is 66 when something was confirmed, else 0.\n"
           "\n"
           "--name=value may also be written as two words: --name value.\n"
           "\n");
    darn_print_options(darn_hunt_options);
}

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

static void catch_signals(struct darn_hunt *hunt)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = interrupt};

    under_way = hunt;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        struct sigaction old;

        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    }
    signal(SIGPIPE, SIG_IGN);
}

/* What both commands have in common. */
static void make_explore_line(struct darn_hunt *hunt)
{
    const struct darn_hunt_line *line = &hunt->line;

    hunt->explore = (struct darn_explore_line){
        .schedules = UINT64_MAX,
        .timeout_ms = line->timeout_ms,
        .jobs = line->jobs,
        .max_steps = line->max_steps,
        .max_steps_given = line->max_steps_given,
        .points = DARN_POINTS_SHARED,
        .keep_going = true,
        .races = true,
        .early = line->early,
        .oracle = line->oracle,
        .reset = line->reset,
        .strip_path_prefix = line->strip_path_prefix,
        .color = line->color,
        .program = line->program,
    };
    hunt->exploration.line = &hunt->explore;
    hunt->exploration.command = "hunt";
}

/* 0 or an exit status. */
static int check_outputs(struct darn_hunt *hunt)
{
    const char *file = hunt->line.json_file;
    char error[1024];
    int result = file ? (*file ? darn_output_check(file) : -ENOENT) : 0;

    if (result)
        return darn_refuse("hunt", "json: %s cannot be written: %s", file, strerror(-result));
    if (!hunt->line.suppressions)
        return 0;
    hunt->suppressions =
        darn_suppressions_read(hunt->line.suppressions, NULL, error, sizeof(error));
    return hunt->suppressions ? 0 : darn_refuse("hunt", "suppressions: %s", error);
}

/* A program that darn compiled, and no script that starts one. 0, with its path, or an exit status.
 */
static int check_program(const struct darn_hunt *hunt, char *path, size_t size)
{
    const char *name = hunt->line.program[0];
    int status = darn_check_program("hunt", name, false, path, size);

    if (!status && darn_program_kind(path) == DARN_PROGRAM_SCRIPT)
        status = darn_refuse("hunt", "%s is a script; name the program that it starts", name);
    return status;
}

/* Everything that can be refused before the program runs. 0 or an exit status. */
static int prepare(struct darn_hunt *hunt)
{
    char path[PATH_MAX];
    int status = check_outputs(hunt);

    if (!status && hunt->line.program)
        status = check_program(hunt, path, sizeof(path));
    if (!status)
        status = darn_hunt_settle_down(hunt);
    if (!status)
        status = check_program(hunt, path, sizeof(path));
    if (!status)
        status = darn_input_keep("hunt", hunt->line.input, &hunt->exploration.input);
    return status ? status : darn_hunt_begin(hunt, path);
}

/* 0 or an exit status. */
static int run_stages(struct darn_hunt *hunt)
{
    int status = darn_hunt_predict(hunt);

    if (status || darn_hunt_is_interrupted(hunt))
        return status;
    darn_hunt_save(hunt);
    status = darn_exploration_start(&hunt->exploration);
    if (status || darn_hunt_is_interrupted(hunt))
        return status;
    darn_hunt_recall(hunt);
    darn_hunt_baseline(hunt);
    status = darn_hunt_prove(hunt);
    if (!status)
        status = darn_hunt_explore(hunt);
    if (!status)
        status = darn_hunt_prove(hunt); /* what threads have met meanwhile */
    if (!status)
        status = darn_hunt_shrink(hunt);
    if (hunt->failed_count)
        darn_hunt_say(hunt, "every run fails (%s): that has nothing to do with schedules",
                      darn_verdict_word(hunt->failed[0].symptom.kind));
    darn_exploration_notes(&hunt->exploration);
    if (hunt->unsteady)
        darn_hunt_say(hunt,
                      "%llu runs failed, but not when they were replayed: something outside of the "
                      "threads differs from run to run",
                      (unsigned long long)hunt->unsteady);
    return status;
}

/* JSON Lines to a file. 0 or an exit status. */
static int append_json(const struct darn_hunt *hunt)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    int result = -ENOMEM;

    if (out) {
        darn_index_print_json(&hunt->index, out);
        fclose(out);
        result = darn_sink_append(hunt->line.json_file, text, length);
    }
    free(text);
    if (result)
        darn_warn("hunt", "json: %s cannot be written: %s", hunt->line.json_file,
                  strerror(-result));
    return result ? 1 : 0;
}

/* 0 or an exit status. */
static int report(struct darn_hunt *hunt)
{
    bool json = hunt->line.json && !hunt->line.json_file;
    FILE *out = json ? stderr : stdout;
    struct darn_style style = {hunt->line.strip_path_prefix,
                               darn_wants_color(hunt->line.color, fileno(out))};
    bool kept = darn_hunt_save(hunt) == 0;
    int status;

    if (json)
        darn_index_print_json(&hunt->index, stdout);
    darn_index_print(&hunt->index, hunt->name, out, &style);
    status = darn_finish_output();
    if (!status && hunt->line.json_file)
        status = append_json(hunt);
    return status ? status : !kept;
}

static void release(struct darn_hunt *hunt)
{
    for (size_t i = 0; i < hunt->target_count; i++) {
        for (int kind = 0; kind < DARN_VERDICTS; kind++)
            darn_schedule_free(hunt->targets[i].shown[kind]);
        if (hunt->targets[i].is_ours)
            darn_finding_free(hunt->targets[i].finding);
    }
    for (size_t i = 0; i < hunt->failed_count; i++)
        darn_schedule_free(hunt->failed[i].schedule);
    free(hunt->targets);
    free(hunt->armed);
    darn_verdicts_free(&hunt->predicted);
    darn_map_free(&hunt->seen);
    darn_suppressions_free(hunt->suppressions);
    darn_index_close(&hunt->index);
}

static int hunt_down(struct darn_hunt *hunt)
{
    int status = prepare(hunt), printed, signal;
    bool found;

    if (status)
        return status;
    make_explore_line(hunt);
    catch_signals(hunt);
    hunt->started = darn_clock();
    hunt->until = hunt->started + hunt->line.seconds_ms / 1000.0;
    status = run_stages(hunt);
    darn_exploration_stop(&hunt->exploration);
    signal = atomic_load(&hunt->exploration.interrupted);
    found = darn_index_proofs(&hunt->index);
    printed = report(hunt);
    if (found)
        return DARN_EXIT_FINDINGS;
    return printed ? printed : status ? status : signal ? 128 + signal : 0;
}

int darn_cmd_hunt(int argc, char **argv)
{
    static struct darn_hunt hunt = {
        .exploration.lock = PTHREAD_MUTEX_INITIALIZER,
        .exploration.changed = PTHREAD_COND_INITIALIZER,
    };
    int status = darn_hunt_read(&hunt.line, argc, argv);

    if (status)
        return status;
    if (hunt.line.help) {
        darn_help_hunt();
        return darn_finish_output();
    }
    status = hunt_down(&hunt);
    release(&hunt);
    return status;
}
