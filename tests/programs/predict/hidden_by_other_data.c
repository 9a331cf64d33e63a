/*
 * claim: a race that two sections with nothing in common hide is predicted by syncp, not by hb; nor by syncp if one sees the other
 * build: -O0
 * build: -O2
 * predict: syncp
 * predict: hb
 * expect: data-race on state.dirty at BEFORE and AFTER by syncp
 * tsan: no
 */
#include <pthread.h>
#include "../unseen.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct {
    int entries, exits;
    int dirty;
    int seen;
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
    state.exits++;
    pthread_mutex_unlock(&lock);
    state.dirty = 0; /* race: AFTER */
    pthread_mutex_lock(&lock);
    state.seen = state.entries;
    pthread_mutex_unlock(&lock);
    if (state.seen)
        state.dirty = 2;
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
    return state.entries + state.exits != 2;
}
