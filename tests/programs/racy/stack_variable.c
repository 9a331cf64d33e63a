/*
 * claim: a local variable that main shares by its address is reported
 * build: -O0
 * build: -O2
 * run: --halt-on-error --report-unknown-origin=0 --budget=max --noise=random:1000/1000 x 20
 * expect: data-race on * at THREAD and MAIN
 */
#include <pthread.h>

enum { ROUNDS = 300 };

static pthread_barrier_t start;

static void *work(void *arg)
{
    int *shared = arg;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&start);
        *shared = i; /* race: THREAD */
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int local = 0;
    long sum = 0;
    pthread_barrier_init(&start, NULL, 2);
    pthread_create(&thread, NULL, work, &local);
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&start);
        sum += local; /* race: MAIN */
    }
    pthread_join(thread, NULL);
    return sum < 0;
}
