/*
 * darn explore: runs a program under many schedules and says which of them fail.
 */
#include "driver/explore/explore_options.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "driver/analysis/analysis.h"
#include "cli/color.h"
#include "cli/command.h"
#include "driver/explore/exploration.h"
#include "driver/explore/explore_keep.h"
#include "driver/process/signal_guard.h"
#include "driver/process/input.h"
#include "driver/process/launch.h"
#include "driver/process/output.h"

#define PROGRESS_MS 200

void darn_help_explore(void)
{
    printf("usage: darn explore [options] [--] PROGRAM [arguments]\n"
           "\n"
           "Runs a program that darn cc or darn c++ compiled under many schedules, one\n"
           "thread at a time, until one fails: a crash, an assertion, a deadlock, a hang, or\n"
           "an exit status that is not 0. What fails is followed once more, reported with\n"
           "its story, and with -o kept for darn replay. The exit status is 66 when\n"
           "something was found, else 0.\n"
           "\n"
           "--name=value may also be written as two words: --name value.\n"
           "\n");
    darn_print_options(darn_explore_options);
}

/* For the handler of signals. */
static struct darn_exploration *under_way;

/* What there is is printed; a second one ends us at once, and all servers with us. */
static void interrupt(int number)
{
    int times = darn_guard_asked();

    if (times == 1) {
        atomic_store(&under_way->interrupted, number);
        darn_exploration_end(under_way);
    } else if (times > 1) {
        signal(number, SIG_DFL);
        raise(number);
    }
}

static void catch_signals(struct darn_exploration *exploration)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = interrupt};

    under_way = exploration;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        struct sigaction old;

        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    }
    signal(SIGPIPE, SIG_IGN);
}

/* What can be refused before the program runs. 0 or an exit status. */
static int check(const struct darn_explore_line *line)
{
    char path[PATH_MAX];
    int result, status;

    if (!line->program)
        return darn_refuse("explore",
                           "no program; usage: darn explore [options] -- PROGRAM [arguments]");
    status = darn_check_program("explore", line->program[0], false, path, sizeof(path));
    if (status)
        return status;
    if (line->json_file) {
        result = *line->json_file ? darn_output_check(line->json_file) : -ENOENT;
        if (result)
            return darn_refuse("explore", "json: %s cannot be written: %s", line->json_file,
                               strerror(-result));
    }
    return line->directory ? darn_explore_keep_check("explore", line->directory) : 0;
}

static struct timespec moment(double seconds)
{
    return (struct timespec){(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
}

/* Waits for the jobs to end, and ends them when their time is over. The lock may be held for as
 * long as a failure is looked into: it is not needed here. */
static void watch_jobs(struct darn_exploration *exploration, uint32_t running)
{
    double limit = exploration->line->seconds_ms
                       ? exploration->started + exploration->line->seconds_ms / 1000.0
                       : HUGE_VAL;

    while (running) {
        double until = darn_clock() + PROGRESS_MS / 1000.0;
        struct timespec wake = moment(until < limit ? until : limit);

        if (sem_clockwait(&exploration->ends, CLOCK_MONOTONIC, &wake) == 0) {
            running--;
            continue;
        }
        if (darn_clock() >= limit) {
            limit = HUGE_VAL;
            darn_exploration_end(exploration);
        }
        if (pthread_mutex_trylock(&exploration->lock) == 0) {
            darn_exploration_show_progress(exploration);
            pthread_mutex_unlock(&exploration->lock);
        }
    }
}

/* 0 or an exit status. */
static int run_jobs(struct darn_exploration *exploration)
{
    struct darn_exploration_job *jobs = calloc(exploration->player_count, sizeof(*jobs));
    uint32_t count = 0;
    int error = 0;

    if (!jobs)
        return darn_refuse(exploration->command, "out of memory");
    pthread_mutex_lock(&exploration->lock);
    for (; count < exploration->player_count && !error; count += !error) {
        jobs[count].exploration = exploration;
        jobs[count].player = &exploration->players[count];
        error = pthread_create(&jobs[count].thread, NULL, darn_exploration_job, &jobs[count]);
        exploration->running += !error;
    }
    pthread_mutex_unlock(&exploration->lock);
    watch_jobs(exploration, count);
    for (uint32_t i = 0; i < count; i++)
        pthread_join(jobs[i].thread, NULL);
    free(jobs);
    return count ? 0
                 : darn_refuse(exploration->command, "no thread can be made: %s", strerror(error));
}

/* 0 or an exit status. */
static int search(struct darn_exploration *exploration)
{
    int status = exploration->before ? exploration->before(exploration) : 0;

    if (status)
        return status;
    exploration->search = darn_search_new(&exploration->line->search);
    if (!exploration->search)
        return darn_refuse(exploration->command, "out of memory");
    exploration->started = darn_clock();
    status = run_jobs(exploration);
    exploration->ended = darn_clock();
    if (!status)
        status = exploration->summary(exploration);
    darn_search_free(exploration->search);
    return status;
}

static int explore(struct darn_exploration *exploration)
{
    int status = darn_exploration_start(exploration), signal;

    if (!status)
        status = search(exploration);
    darn_exploration_stop(exploration);
    signal = atomic_load(&exploration->interrupted);
    if (!status && exploration->found_count)
        status = DARN_EXIT_FINDINGS;
    if (!status)
        status = exploration->status;
    return status ? status : signal ? 128 + signal : 0;
}

int darn_exploration_make(struct darn_exploration *exploration,
                          const struct darn_explore_line *line)
{
    int status = darn_input_keep(exploration->command, line->input, &exploration->input);

    if (status)
        return status;
    exploration->line = line;
    exploration->style =
        (struct darn_style){line->strip_path_prefix, darn_wants_color(line->color, STDERR_FILENO)};
    /* A systematic search relies on the same points in every run. */
    exploration->learns_on =
        line->points == DARN_POINTS_SHARED && line->search.kind != DARN_SEARCH_CHESS;
    sem_init(&exploration->ends, 0, 0);
    catch_signals(exploration);
    status = explore(exploration);
    for (size_t i = 0; i < exploration->found_count; i++)
        darn_finding_free(exploration->found[i].finding);
    free(exploration->found);
    darn_map_free(&exploration->seen);
    darn_map_free(&exploration->slow_ones);
    return status;
}

int darn_cmd_explore(int argc, char **argv)
{
    static struct darn_explore_line line;
    static struct darn_exploration exploration = {
        .command = "explore",
        .look = darn_exploration_found,
        .summary = darn_exploration_summary,
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .changed = PTHREAD_COND_INITIALIZER,
    };
    int status = darn_explore_read(&line, argc, argv);

    if (status)
        return status;
    if (line.help) {
        darn_help_explore();
        return darn_finish_output();
    }
    status = check(&line);
    return status ? status : darn_exploration_make(&exploration, &line);
}
