/*
 * claim: a cycle of three, two of which are inside of a gate, cannot close: nothing is predicted
 * build: -O0
 * build: -O2
 * predict: deadlock
 * expect: none
 */
#include <pthread.h>
#include <unistd.h>

enum { THREADS = 3 };

static pthread_mutex_t locks[THREADS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                         PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static int counts[THREADS];

static void *work(void *arg)
{
    long self = (long)arg;
    if (self < 2)
        pthread_mutex_lock(&gate);
    pthread_mutex_lock(&locks[self]);
    pthread_mutex_lock(&locks[(self + 1) % THREADS]);
    counts[self]++;
    pthread_mutex_unlock(&locks[(self + 1) % THREADS]);
    pthread_mutex_unlock(&locks[self]);
    if (self < 2)
        pthread_mutex_unlock(&gate);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, work, (void *)i);
        usleep(10000);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return counts[0] + counts[1] + counts[2] != THREADS;
}
