/*
 * claim: double-checked initialization without atomics is reported
 * build: -O0
 * build: -O2
 * run: --halt-on-error --report-unknown-origin=0 --noise=var:instance:1000/10000 x 20
 * expect: data-race on instance at CHECK and PUBLISH [read write]
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 64 }; /* a third of a second: the first one may be late on a busy machine */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *instance;

/* The look without the lock is the only access that nothing orders: any other would be reported, too. */
static int *get(void)
{
    int *seen = instance; /* race: CHECK */

    if (seen == NULL) {
        pthread_mutex_lock(&lock);
        seen = instance;
        if (seen == NULL) {
            seen = malloc(sizeof(*seen));
            *seen = 42;
            instance = seen; /* race: PUBLISH */
        }
        pthread_mutex_unlock(&lock);
    }
    return seen;
}

/* One after the other: some look for the first time while the first one publishes. */
static void *work(void *arg)
{
    usleep((unsigned)(long)arg * 5000);
    return get();
}

int main(void)
{
    pthread_t threads[THREADS];
    int wrong = 0;
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        wrong += result == NULL || *(int *)result != 42;
    }
    return wrong;
}
