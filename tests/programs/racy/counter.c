/*
 * claim: an unprotected counter is reported at every optimization level
 * build: -O0
 * build: -O1
 * build: -O2
 * build: -O3
 * run: --halt-on-error --report-unknown-origin=0 --noise=var:counter:1000/1000 x 20
 * run: --budget=max --noise=random:1000/200 x 20
 * expect: data-race on counter at INCREMENT and INCREMENT
 */
#include <pthread.h>
#include <stdio.h>

enum { ROUNDS = 100 };

static long counter;

static void *work(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(arg);
        counter++; /* race: INCREMENT */
    }
    return NULL;
}

int main(void)
{
    pthread_barrier_t start;
    pthread_t threads[2];
    pthread_barrier_init(&start, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &start);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%s\n", counter > 0 ? "counted" : "lost all");
    return 0;
}
