/*
 * claim: one thread with lock A and one with lock B are reported, each with its lock
 * build: -O0
 * build: -O2
 * run: --halt-on-error --report-unknown-origin=0 --noise=var:shared:1000/1000 x 20
 * expect: data-race on shared at WITH_A and WITH_B
 */
#include <pthread.h>

enum { ROUNDS = 300 };

static pthread_barrier_t start;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static long shared;

static void *with_a(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&start);
        pthread_mutex_lock(&a);
        shared++; /* race: WITH_A */
        pthread_mutex_unlock(&a);
    }
    return arg;
}

static void *with_b(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&start);
        pthread_mutex_lock(&b);
        shared++; /* race: WITH_B */
        pthread_mutex_unlock(&b);
    }
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&start, NULL, 2);
    pthread_create(&threads[0], NULL, with_a, NULL);
    pthread_create(&threads[1], NULL, with_b, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
