/*
 * claim: a race between the program and a shared object, and one inside of it, are reported
 * lib: shared_counter.c
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:1000/1000 x 20
 * run: --noise=var:library_counter:1000/1000 --noise=var:hidden_counter:1000/1000 x 20
 * expect: data-race on library_counter at PROGRAM and LIBRARY
 * expect: data-race on hidden_counter at HIDDEN and HIDDEN
 * allow: data-race on library_counter at LIBRARY and LIBRARY
 */
#include <pthread.h>

enum { ROUNDS = 20 };

extern long library_counter;
void library_count(void);

static pthread_barrier_t start;

static void *work(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&start);
        if (i % 2 == 0 || arg != NULL)
            library_count();
        else
            library_counter++; /* race: PROGRAM */
    }
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&start, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, i ? &start : NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
