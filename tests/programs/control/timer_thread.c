/*
 * claim: a timer's thread, which libc makes by itself, is waited for
 * build: -O1
 * ends: exit 0
 * schedules: 5
 * replay: no
 */
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int done;

static void on_time(union sigval unused)
{
    const struct timespec span = {.tv_nsec = 20000000};

    (void)unused;
    pthread_mutex_lock(&lock);
    nanosleep(&span, NULL);
    done = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void *wait_for_timer(void *arg)
{
    pthread_mutex_lock(&lock);
    while (!done)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD};
    struct itimerspec soon = {.it_value.tv_nsec = 10000000};
    pthread_t threads[2];
    timer_t timer;

    event.sigev_notify_function = on_time;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &soon, NULL))
        return 2;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, wait_for_timer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
