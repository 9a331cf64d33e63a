/*
 * claim: a cycle of three threads and three locks is predicted
 * build: -O0
 * build: -O2
 * predict: deadlock
 * expect: deadlock at WANTS_1 and WANTS_2 and WANTS_0
 */
#include <pthread.h>
#include <unistd.h>

enum { THREADS = 3 };

static pthread_mutex_t locks[THREADS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                         PTHREAD_MUTEX_INITIALIZER};
static int counts[THREADS];

static void *zero(void *arg)
{
    pthread_mutex_lock(&locks[0]);
    pthread_mutex_lock(&locks[1]); /* lock: WANTS_1 */
    counts[0]++;
    pthread_mutex_unlock(&locks[1]);
    pthread_mutex_unlock(&locks[0]);
    return arg;
}

static void *one(void *arg)
{
    pthread_mutex_lock(&locks[1]);
    pthread_mutex_lock(&locks[2]); /* lock: WANTS_2 */
    counts[1]++;
    pthread_mutex_unlock(&locks[2]);
    pthread_mutex_unlock(&locks[1]);
    return arg;
}

static void *two(void *arg)
{
    pthread_mutex_lock(&locks[2]);
    pthread_mutex_lock(&locks[0]); /* lock: WANTS_0 */
    counts[2]++;
    pthread_mutex_unlock(&locks[0]);
    pthread_mutex_unlock(&locks[2]);
    return arg;
}

int main(void)
{
    void *(*const work[THREADS])(void *) = {zero, one, two};
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, work[i], NULL);
        usleep(10000);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return counts[0] + counts[1] + counts[2] != THREADS;
}
