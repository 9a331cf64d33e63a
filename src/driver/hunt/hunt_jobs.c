/*
 * The jobs of a stage, and what is shown meanwhile.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/grow.h"
#include "driver/hunt/hunt.h"
#include "driver/play/shrinking.h"

#define PROGRESS_MS 200

struct darn_hunt *darn_hunt_of(struct darn_exploration *exploration)
{
    return (struct darn_hunt *)((char *)exploration - offsetof(struct darn_hunt, exploration));
}

double darn_hunt_left(const struct darn_hunt *hunt)
{
    double left = hunt->until - darn_clock();

    return left > 0 ? left : 0;
}

void darn_hunt_set_until(struct darn_hunt *hunt, double until)
{
    hunt->stage_until = until;
    for (uint32_t i = 0; i < hunt->exploration.player_count; i++)
        darn_server_set_until(hunt->exploration.players[i].server, until);
}

bool darn_hunt_is_interrupted(const struct darn_hunt *hunt)
{
    return atomic_load(&hunt->exploration.interrupted);
}

static void show_progress(struct darn_hunt *hunt, darn_hunt_progress *progress)
{
    char text[256];

    progress(hunt, text, sizeof(text));
    darn_tell_progress(hunt->listener, "%s, %.0f s left", text, darn_hunt_left(hunt));
}

static struct timespec moment(double seconds)
{
    return (struct timespec){(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
}

/* With the lock: waits for the jobs to end, and tells them to when their time is over. */
static void watch(struct darn_hunt *hunt, double until, darn_hunt_progress *progress)
{
    struct darn_exploration *exploration = &hunt->exploration;

    while (exploration->running) {
        double now = darn_clock(), next = now + PROGRESS_MS / 1000.0;
        struct timespec wake;

        if (now >= until || darn_hunt_is_interrupted(hunt)) {
            atomic_store(&exploration->enough, true);
            pthread_cond_broadcast(&exploration->changed);
        } else if (next > until) {
            next = until;
        }
        wake = moment(next);
        while (exploration->running && darn_clock() < next)
            if (pthread_cond_clockwait(&exploration->changed, &exploration->lock, CLOCK_MONOTONIC,
                                       &wake))
                break;
        if (exploration->running)
            show_progress(hunt, progress);
    }
    darn_tell_progress(hunt->listener, "%s", "");
}

void darn_hunt_job_ends(struct darn_hunt *hunt)
{
    struct darn_exploration *exploration = &hunt->exploration;

    pthread_mutex_lock(&exploration->lock);
    exploration->running--;
    pthread_cond_broadcast(&exploration->changed);
    pthread_mutex_unlock(&exploration->lock);
}

int darn_hunt_jobs(struct darn_hunt *hunt, void *(*job)(void *), double until,
                   darn_hunt_progress *progress)
{
    struct darn_exploration *exploration = &hunt->exploration;
    struct darn_exploration_job *jobs = darn_need_zeroed(exploration->player_count, sizeof(*jobs));
    uint32_t count = 0;
    int error = 0;

    atomic_store(&exploration->enough, darn_hunt_is_interrupted(hunt));
    darn_hunt_set_until(hunt, until);
    pthread_mutex_lock(&exploration->lock);
    for (; count < exploration->player_count && !error; count += !error) {
        jobs[count].exploration = exploration;
        jobs[count].player = &exploration->players[count];
        error = pthread_create(&jobs[count].thread, NULL, job, &jobs[count]);
        exploration->running += !error;
    }
    watch(hunt, until, progress);
    pthread_mutex_unlock(&exploration->lock);
    for (uint32_t i = 0; i < count; i++)
        pthread_join(jobs[i].thread, NULL);
    free(jobs);
    darn_hunt_set_until(hunt, hunt->until);
    return count ? 0
                 : darn_tell_refusal(hunt->listener, "no thread can be made: %s", strerror(error));
}
