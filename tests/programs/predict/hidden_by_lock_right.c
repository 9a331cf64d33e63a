/*
 * claim: the same with both writes under the lock: nothing is predicted
 * build: -O0
 * build: -O2
 * predict: hybrid
 * predict: hb
 * expect: none
 */
#include <pthread.h>
#include "../unseen.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    int entries;
    int dirty;
} state;

static void *first(void *arg)
{
    pthread_mutex_lock(&lock);
    state.dirty = 1;
    pthread_mutex_unlock(&lock);
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
    pthread_mutex_lock(&lock);
    state.dirty = 0;
    pthread_mutex_unlock(&lock);
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
