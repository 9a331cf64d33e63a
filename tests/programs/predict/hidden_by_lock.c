/*
 * claim: a race between a write before and a write after a lock is predicted by hybrid, not by hb
 * build: -O0
 * build: -O2
 * predict: hybrid
 * predict: hb
 * expect: data-race on state.dirty at BEFORE and AFTER by hybrid
 * tsan: no
 */
#include <pthread.h>
#include "../unseen.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct {
    int entries;
    int dirty;
} state; /* not static, or the optimizer would drop `dirty` */

static void *first(void *arg)
{
    state.dirty = 1; /* race: BEFORE */
    pthread_mutex_lock(&lock);
    state.entries++;
    pthread_mutex_unlock(&lock);
    unseen_tell();
    return arg;
}

static void *second(void *arg)
{
    pthread_mutex_lock(&lock);
    state.entries++;
    pthread_mutex_unlock(&lock);
    state.dirty = 0; /* race: AFTER */
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
    return state.entries != 2;
}
