/*
 * A whole exploration: its jobs, and who waits for them.
 */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/grow.h"
#include "driver/explore/exploration.h"
#include "driver/process/signal_guard.h"
#include "driver/process/input.h"
#include "driver/process/interrupt.h"

#define PROGRESS_MS 200

/* For the handler of signals. */
static struct darn_exploration *under_way;

/* What there is counts; a second one ends us at once, and all servers with us. */
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

static struct timespec moment(double seconds)
{
    return (struct timespec){(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
}

double darn_exploration_rate(const struct darn_exploration *exploration, double until)
{
    double seconds = until - exploration->started - exploration->looking;

    return seconds > 0 ? (double)exploration->schedules / seconds : 0;
}

static void tell_progress(const struct darn_exploration *exploration)
{
    darn_tell_progress(exploration->listener, "%llu schedules, %.0f per second, %zu found",
                       (unsigned long long)exploration->schedules,
                       darn_exploration_rate(exploration, darn_clock()), exploration->found_count);
}

/* Waits for the jobs to end, and ends them when their time is over. The lock may be held for as
 * long as a failure is looked into: it is not needed here. */
static void watch_jobs(struct darn_exploration *exploration, uint32_t running)
{
    double limit = exploration->until ? exploration->until : HUGE_VAL;

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
            tell_progress(exploration);
            pthread_mutex_unlock(&exploration->lock);
        }
    }
    darn_tell_progress(exploration->listener, "%s", "");
}

/* 0 or DARN_REFUSED. */
static int run_jobs(struct darn_exploration *exploration)
{
    struct darn_exploration_job *jobs = darn_need_zeroed(exploration->player_count, sizeof(*jobs));
    uint32_t count = 0;
    int error = 0;

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
                 : darn_tell_refusal(exploration->listener, "no thread can be made: %s",
                                     strerror(error));
}

/* 0 or DARN_REFUSED. */
static int search(struct darn_exploration *exploration)
{
    struct darn_search_options options = exploration->options->search;
    int status = exploration->before ? exploration->before(exploration) : 0;

    if (status)
        return status;
    options.delays = exploration->has_first && exploration->first_kind == DARN_STRATEGY_DELAY;
    exploration->search = darn_search_new(&options);
    if (!exploration->search)
        return darn_tell_refusal(exploration->listener, "out of memory");
    exploration->started = darn_clock();
    if (exploration->first_fails)
        darn_exploration_look_first(exploration);
    status = run_jobs(exploration);
    exploration->ended = darn_clock();
    darn_search_stats(exploration->search, &exploration->stats);
    darn_search_free(exploration->search);
    exploration->search = NULL;
    return status;
}

void darn_exploration_init(struct darn_exploration *exploration, struct darn_listener *listener)
{
    *exploration = (struct darn_exploration){
        .listener = listener,
        .look = darn_exploration_found,
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .changed = PTHREAD_COND_INITIALIZER,
    };
    sem_init(&exploration->ends, 0, 0);
}

int darn_explore(struct darn_exploration *exploration, const struct darn_explore_options *options)
{
    int status = darn_input_keep(exploration->listener, options->input, &exploration->input);

    if (status)
        return status;
    exploration->options = options;
    if (options->seconds_ms)
        exploration->until = darn_clock() + options->seconds_ms / 1000.0;
    /* A systematic search relies on the same points in every run. */
    exploration->learns_on =
        options->points == DARN_POINTS_SHARED && options->search.kind != DARN_SEARCH_CHESS;
    exploration->keeps_straight = !exploration->before;
    under_way = exploration;
    darn_catch_interrupts(interrupt);
    status = darn_exploration_start(exploration);
    if (!status)
        status = search(exploration);
    exploration->jobs = exploration->player_count;
    darn_exploration_stop(exploration);
    return status == DARN_LATE ? 0 : status;
}

void darn_exploration_free(struct darn_exploration *exploration)
{
    for (size_t i = 0; i < exploration->found_count; i++)
        darn_finding_free(exploration->found[i].finding);
    free(exploration->found);
    darn_map_free(&exploration->seen);
    darn_map_free(&exploration->long_ones);
    darn_map_free(&exploration->usual_ones);
    darn_schedule_free(exploration->put_off);
    darn_schedule_free(exploration->first_fails);
}
