/*
 * claim: pthread_exit of main leaves the other threads running and watched; the last one ends it
 * tsan: no
 * build: -O1
 * run: --noise=var:counter:1000/1000 x 10
 * run: --budget=max --noise=random:1000/1000 x 10
 * expect: data-race on counter at COUNT and COUNT
 */
#include <pthread.h>

enum { ROUNDS = 20 };

static pthread_barrier_t start;
static long counter;

static void *work(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
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
    for (int i = 0; i < 2; i++)
        pthread_detach(threads[i]);
    pthread_exit(NULL);
}
