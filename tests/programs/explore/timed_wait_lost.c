/*
 * claim: a wait that has timed out does not look again: what came in the last moment is lost
 * build: -O1
 * bug: assert
 * within: 100
 * options: --early-timeouts
 * fixed: yes
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t delivered = PTHREAD_COND_INITIALIZER;
static bool there, gave_up;
static int used, returned;

static void *deliver(void *arg)
{
    pthread_mutex_lock(&lock);
    if (gave_up) {
        returned++;
    } else {
        there = true;
        pthread_cond_signal(&delivered);
    }
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *expect(void *arg)
{
    struct timespec until;
    int error = 0;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 2;
    pthread_mutex_lock(&lock);
    while (!there && error == 0)
        error = pthread_cond_timedwait(&delivered, &lock, &until);
#ifdef FIXED
    if (!there)
#else
    if (error == ETIMEDOUT)
#endif
        gave_up = true;
    else
        used++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, expect, NULL);
    pthread_create(&threads[1], NULL, deliver, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(used + returned == 1);
    return 0;
}
