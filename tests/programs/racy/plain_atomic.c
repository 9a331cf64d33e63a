/*
 * claim: a plain write against an atomic read is a race, and is reported
 * build: -O0
 * build: -O2
 * run: --halt-on-error --report-unknown-origin=0 --noise=var:ready:1000/1000 x 20
 * run: --halt-on-error --report-unknown-origin=0 --budget=max --noise=random:1000/1000 x 20
 * expect: data-race on ready at PLAIN and ATOMIC [write read]
 */
#include <pthread.h>

enum { ROUNDS = 300 };

static pthread_barrier_t start;
static int ready;

static void *announce(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&start);
        ready = i; /* race: PLAIN */
    }
    return arg;
}

static void *look(void *arg)
{
    long sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&start);
        sum += __atomic_load_n(&ready, __ATOMIC_ACQUIRE); /* race: ATOMIC */
    }
    return sum ? arg : NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&start, NULL, 2);
    pthread_create(&threads[0], NULL, announce, NULL);
    pthread_create(&threads[1], NULL, look, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
