/*
 * claim: a wait takes its mutex again under another lock: the cycle is predicted
 * build: -O0
 * build: -O2
 * predict: deadlock
 * expect: deadlock at WANTS_B and WAIT
 */
#include <pthread.h>
#include <unistd.h>
#include "../unseen.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready, count;

static void *first(void *arg)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    unseen_tell();
    while (!ready)
        pthread_cond_wait(&changed, &a); /* lock: WAIT */
    count++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    unseen_tell();
    return arg;
}

static void *second(void *arg)
{
    pthread_mutex_lock(&a);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&a);
    unseen_wait(); /* if not for this, the other could still wait for `a` */
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); /* lock: WANTS_B */
    count++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    unseen_wait(); /* the other one waits, or is about to */
    pthread_create(&threads[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return count != 2;
}
