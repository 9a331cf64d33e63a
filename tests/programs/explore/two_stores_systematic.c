/*
 * claim: a systematic search tries a switch between two stores before it says that nothing is left
 * build: -O0
 * build: -O2
 * options: --strategy=chess
 * bug: assert
 * within: 100
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int begun, done;

static void *store(void *arg)
{
    begun = 1;
    done = 1;
    return arg;
}

static void *look(void *arg)
{
    int later = done, first = begun;
    assert(first == later);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, store, NULL);
    pthread_create(&threads[1], NULL, look, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
