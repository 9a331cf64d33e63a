/*
 * claim: threads that a library starts (a timer with SIGEV_THREAD) are watched like others
 * tsan: no
 * build: -O1
 * run: --budget=max --noise=random:200/50 x 3
 * run: x 3
 * expect: none
 */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <time.h>

enum { TICKS = 10 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t ticked;
static long ticks;

static void tick(union sigval value)
{
    pthread_mutex_lock(&lock);
    ticks += value.sival_int;
    pthread_mutex_unlock(&lock);
    sem_post(&ticked);
}

int main(void)
{
    struct itimerspec often = {{0, 1000000}, {0, 1000000}};
    struct sigevent event;
    timer_t timer;
    memset(&event, 0, sizeof(event));
    event.sigev_notify = SIGEV_THREAD;
    event.sigev_notify_function = tick;
    event.sigev_value.sival_int = 1;
    sem_init(&ticked, 0, 0);
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0)
        return 2;
    timer_settime(timer, 0, &often, NULL);
    for (int i = 0; i < TICKS; i++) {
        sem_wait(&ticked);
        pthread_mutex_lock(&lock);
        ticks += 100;
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    int right = ticks >= 101 * TICKS;
    pthread_mutex_unlock(&lock);
    timer_delete(timer);
    return !right;
}
