/*
 * claim: a race is on file even if the program dies right after it
 * tsan: no
 * build: -O1
 * run: --noise=var:counter:1000/1000 x 10
 * run: --budget=max --noise=random:1000/1000 x 10
 * exit: 134
 * expect: failure
 * expect: data-race on counter at COUNT and COUNT
 */
#include <pthread.h>
#include <stdlib.h>

static pthread_barrier_t start;
static long counter;

static void *work(void *arg)
{
    for (int i = 0; i < 20; i++) {
        pthread_barrier_wait(&start);
        counter++; /* race: COUNT */
    }
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&start, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    pthread_join(threads[0], NULL);
    abort();
}
