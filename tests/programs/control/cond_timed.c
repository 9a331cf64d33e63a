/*
 * claim: a timed wait that nobody signals times out, not before its time, on each clock
 * build: -O1
 * ends: exit 0
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t realtime = PTHREAD_COND_INITIALIZER, monotonic;
static bool told;

static struct timespec in_milliseconds(clockid_t clock, long milliseconds)
{
    struct timespec when;
    clock_gettime(clock, &when);
    when.tv_nsec += milliseconds * 1000000;
    when.tv_sec += when.tv_nsec / 1000000000;
    when.tv_nsec %= 1000000000;
    return when;
}

static bool is_over(clockid_t clock, struct timespec when)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec > when.tv_sec || (now.tv_sec == when.tv_sec && now.tv_nsec >= when.tv_nsec);
}

static int time_out(pthread_cond_t *condition, clockid_t clock)
{
    struct timespec when = in_milliseconds(clock, 10);
    int error;
    pthread_mutex_lock(&lock);
    do
        error = pthread_cond_timedwait(condition, &lock, &when);
    while (error == 0); /* woken for no reason */
    pthread_mutex_unlock(&lock);
    return error != ETIMEDOUT || !is_over(clock, when);
}

static void *tell(void *arg)
{
    pthread_mutex_lock(&lock);
    told = true;
    pthread_cond_signal(&monotonic);
    pthread_mutex_unlock(&lock);
    return arg;
}

/* In some schedules it comes too late for the first waits, but never for all. */
static int is_told(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, tell, NULL);
    pthread_mutex_lock(&lock);
    while (!told) {
        struct timespec when = in_milliseconds(CLOCK_MONOTONIC, 1000);
        int error = pthread_cond_clockwait(&monotonic, &lock, CLOCK_MONOTONIC, &when);
        if (error != 0 && (error != ETIMEDOUT || !is_over(CLOCK_MONOTONIC, when)))
            return 1;
    }
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}

int main(void)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&monotonic, &attributes);
    if (time_out(&realtime, CLOCK_REALTIME))
        return 1;
    if (time_out(&monotonic, CLOCK_MONOTONIC))
        return 2;
    return is_told() ? 3 : 0;
}
