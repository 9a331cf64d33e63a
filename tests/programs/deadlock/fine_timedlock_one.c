/*
 * claim: a thread that may not wait for ever breaks the cycle: the other one is not reported
 * build: -O0
 * build: -O2
 * run: x 2
 * expect: none
 */
#include <pthread.h>
#include <time.h>

static pthread_barrier_t met;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int got;

static void *patient(void *arg)
{
    pthread_mutex_lock(&a);
    pthread_barrier_wait(&met);
    pthread_mutex_lock(&b);
    got++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return arg;
}

static void *impatient(void *arg)
{
    struct timespec deadline;
    pthread_mutex_lock(&b);
    pthread_barrier_wait(&met);
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_nsec += 300000000;
    deadline.tv_sec += deadline.tv_nsec / 1000000000;
    deadline.tv_nsec %= 1000000000;
    if (pthread_mutex_timedlock(&a, &deadline) == 0)
        pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&met, NULL, 2);
    pthread_create(&threads[0], NULL, patient, NULL);
    pthread_create(&threads[1], NULL, impatient, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return got != 1;
}
