/*
 * claim: a thread looks for itself under its handle before that has been stored
 * build: -O1
 * fails: exit
 * first: SET
 * then: USE
 * heals: yes
 */
#include <pthread.h>
#include <stdlib.h>

#include "usually.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t worker;
static int wrong;

static void *work(void *unused)
{
    usually_late(); /* it has been stored by then */
    pthread_mutex_lock(&lock);
    if (!pthread_equal(worker, pthread_self())) /* order: USE */
        wrong = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

static pthread_t start(void)
{
    pthread_t started;

    pthread_create(&started, NULL, work, NULL);
    slow(1);
    return started;
}

int main(void)
{
    pthread_t started;

#ifdef FIXED
    pthread_mutex_lock(&lock);
    started = worker = start();
#else
    started = start();
    pthread_mutex_lock(&lock);
    worker = started; /* order: SET */
#endif
    pthread_mutex_unlock(&lock);
    pthread_join(started, NULL);
    return wrong;
}
