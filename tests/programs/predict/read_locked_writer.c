/*
 * claim: two threads that write under a read lock are predicted by hybrid
 * build: -O0
 * build: -O2
 * predict: hybrid
 * predict: hb
 * expect: data-race on uses at FIRST and SECOND by hybrid
 * tsan: no
 */
#include <pthread.h>
#include "../unseen.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static int uses, others;

static void hide(void)
{
    pthread_mutex_lock(&other);
    others++;
    pthread_mutex_unlock(&other);
}

static void *first(void *arg)
{
    pthread_rwlock_rdlock(&lock);
    uses++; /* race: FIRST */
    pthread_rwlock_unlock(&lock);
    hide();
    unseen_tell();
    return arg;
}

static void *second(void *arg)
{
    hide();
    pthread_rwlock_rdlock(&lock);
    uses++; /* race: SECOND */
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    unseen_wait(); /* they never meet */
    pthread_create(&threads[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return uses != 2 || others != 2;
}
