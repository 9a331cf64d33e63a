/*
 * claim: a signal comes before the worker waits for it, and nothing remembers that
 * build: -O1
 * fails: deadlock
 * first: USE
 * then: SET
 * heals: yes
 */
#include <pthread.h>
#include <stdbool.h>

#include "usually.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static bool is_ready;
static int jobs;

static void *work(void *unused)
{
    slow(1);
    pthread_mutex_lock(&lock);
#ifdef FIXED
    while (!is_ready)
#endif
        pthread_cond_wait(&ready, &lock); /* order: USE */
    jobs--;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t worker;

    jobs = 1;
    pthread_create(&worker, NULL, work, NULL);
    usually_late(); /* it waits by then */
    pthread_mutex_lock(&lock);
    is_ready = true;
    pthread_cond_signal(&ready); /* order: SET */
    pthread_mutex_unlock(&lock);
    pthread_join(worker, NULL);
    return jobs;
}
