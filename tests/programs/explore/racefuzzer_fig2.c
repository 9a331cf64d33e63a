/*
 * claim: RaceFuzzer's figure 2: the race meets in every trial and half of them fail, for any WORK
 * build: -O1 -DWORK=5
 * build: -O1 -DWORK=100
 * build: -O1 -DWORK=1000
 * bug: assert
 * within: 200
 * fixed: no
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef WORK
#define WORK 5
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x;
static volatile int steps;

static void f(void)
{
    steps = steps + 1;
}

/* The marks are the numbers of the paper's statements. */
static void *first(void *arg)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < WORK; i++)
        f();
    pthread_mutex_unlock(&lock);
    if (x == 0)  /* race: S8 */
        abort(); /* ERROR */
    return arg;
}

static void *second(void *arg)
{
    x = 1; /* race: S10 */
    pthread_mutex_lock(&lock);
    f();
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, second, NULL);
    usleep(30000); /* the paper's second comes first: so it does nearly always */
    pthread_create(&threads[1], NULL, first, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return steps != WORK + 1;
}
