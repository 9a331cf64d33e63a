#include "driver/play/free_runs.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/grow.h"
#include "driver/play/free_run.h"
#include "driver/process/input.h"
#include "driver/process/signal_guard.h"
#include "driver/process/private.h"
#include "driver/process/listener.h"

#define PROGRESS_MS 200

uint32_t darn_free_runs_cores(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof(set), &set) ? 1 : (uint32_t)CPU_COUNT(&set);
}

void darn_free_runs_file(const struct darn_free_runs *runs, const char *name, uint64_t number,
                         char *path, size_t size)
{
    snprintf(path, size, "%s/%s.%" PRIu64, runs->directory, name, number);
}

static int read_expected(struct darn_free_runs *runs)
{
    FILE *file = fopen(runs->options->expect, "r");
    FILE *to = open_memstream(&runs->expected, &runs->expected_size);
    char piece[16384];
    size_t got;
    bool failed;

    while (file && to && (got = fread(piece, 1, sizeof(piece), file)) > 0)
        fwrite(piece, 1, got, to);
    failed = !file || !to || ferror(file);
    if (to)
        failed |= fclose(to) != 0;
    if (failed)
        (void)darn_tell_refusal(runs->listener, "--expect: %s: %s", runs->options->expect,
                                strerror(errno));
    if (file)
        fclose(file);
    return failed ? DARN_REFUSED : 0;
}

int darn_free_runs_open(struct darn_free_runs *runs)
{
    pthread_mutex_init(&runs->lock, NULL);
    pthread_cond_init(&runs->changed, NULL);
    if (darn_input_keep(runs->listener, runs->options->input, &runs->input) ||
        (runs->options->expect && read_expected(runs)))
        return DARN_REFUSED;
    runs->directory = darn_private_directory(runs->listener);
    return runs->directory ? 0 : DARN_REFUSED;
}

void darn_free_runs_close(struct darn_free_runs *runs)
{
    free(runs->expected);
    runs->expected = NULL;
}

/* With the lock. */
static void end(struct darn_free_runs *runs, int status)
{
    if (status && !runs->status)
        runs->status = status;
    atomic_store(&runs->stop, true);
}

/* For the handler of signals. */
static struct darn_free_runs *under_way;

/* What there is is kept; a second one ends us at once. */
static void interrupt(int number)
{
    int times = darn_guard_asked();

    if (times == 1) {
        atomic_store(&under_way->signal, number);
        atomic_store(&under_way->stop, true);
    } else if (times > 1) {
        signal(number, SIG_DFL);
        raise(number);
    }
}

static const int caught[] = {SIGINT, SIGTERM, SIGHUP};

#define CAUGHT (sizeof(caught) / sizeof(caught[0]))

static void catch_signals(struct darn_free_runs *runs, struct sigaction *old)
{
    struct sigaction action = {.sa_handler = interrupt};

    /* One at a time: neither comes into the handler of another. */
    for (size_t i = 0; i < CAUGHT; i++)
        sigaddset(&action.sa_mask, caught[i]);
    under_way = runs;
    for (size_t i = 0; i < CAUGHT; i++)
        if (sigaction(caught[i], NULL, &old[i]) == 0 && old[i].sa_handler != SIG_IGN)
            sigaction(caught[i], &action, NULL);
}

struct job {
    struct darn_free_runs *runs;
    pthread_t thread;
    struct darn_free_run run;
    uint32_t number;
};

static void *work(void *to)
{
    struct job *job = to;
    struct darn_free_runs *runs = job->runs;
    int status;

    pthread_mutex_lock(&runs->lock);
    for (;;) {
        job->run.job = job->number;
        if (atomic_load(&runs->stop) || !runs->next(runs->context, &job->run))
            break;
        pthread_mutex_unlock(&runs->lock);
        status = darn_free_run_make(runs, &job->run);
        pthread_mutex_lock(&runs->lock);
        if (status) /* interrupted, or it cannot go on */
            end(runs, status == -EINTR ? 0 : status);
        else if (!atomic_load(&runs->stop))
            runs->done(runs->context, &job->run);
    }
    runs->running--;
    pthread_cond_broadcast(&runs->changed);
    pthread_mutex_unlock(&runs->lock);
    return NULL;
}

/* With the lock. */
static void watch(struct darn_free_runs *runs)
{
    struct timespec wake;

    while (runs->running) {
        clock_gettime(CLOCK_MONOTONIC, &wake);
        wake.tv_nsec += PROGRESS_MS * 1000000l;
        wake.tv_sec += wake.tv_nsec / 1000000000;
        wake.tv_nsec %= 1000000000;
        pthread_cond_clockwait(&runs->changed, &runs->lock, CLOCK_MONOTONIC, &wake);
        if (runs->running && runs->progress)
            runs->progress(runs->context);
    }
}

int darn_free_runs_make(struct darn_free_runs *runs)
{
    struct job *jobs = darn_need_zeroed(runs->options->jobs, sizeof(*jobs));
    struct sigaction old[CAUGHT];
    uint32_t count = 0;
    int error = 0;

    catch_signals(runs, old);
    pthread_mutex_lock(&runs->lock);
    for (; count < runs->options->jobs && !error; count += !error) {
        jobs[count].runs = runs;
        jobs[count].number = count;
        error = pthread_create(&jobs[count].thread, NULL, work, &jobs[count]);
        runs->running += !error;
    }
    watch(runs);
    pthread_mutex_unlock(&runs->lock);
    for (uint32_t i = 0; i < count; i++)
        pthread_join(jobs[i].thread, NULL);
    /* Else what is known is yet to be written. */
    for (size_t i = 0; i < CAUGHT && !atomic_load(&runs->signal); i++)
        sigaction(caught[i], &old[i], NULL);
    free(jobs);
    if (!count)
        return darn_tell_refusal(runs->listener, "no thread can be made: %s", strerror(error));
    return runs->status;
}
