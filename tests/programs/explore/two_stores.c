/*
 * claim: a reader comes between two stores of one statement after the other
 * build: -O0
 * build: -O1
 * build: -O2
 * build: -O3
 * bug: assert
 * within: 100
 * fixed: yes
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int begun, done;

static void *store(void *arg)
{
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    begun = 1;
    done = 1;
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    return arg;
}

int main(void)
{
    pthread_t thread;
    int first, second;
    pthread_create(&thread, NULL, store, NULL);
    pthread_mutex_lock(&lock);
    first = begun;
    second = done;
    pthread_mutex_unlock(&lock);
    assert(first == second);
    pthread_join(thread, NULL);
    return 0;
}
