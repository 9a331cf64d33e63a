/*
 * claim: a spin whose read is in a function of its own is recognised
 * build: -O0 -DVAR=
 * build: -O0 -DVAR=volatile
 * build: -O0 -DVAR=_Atomic
 * build: -O2 -DVAR=
 * build: -O2 -DVAR=volatile
 * build: -O2 -DVAR=_Atomic
 * predict: hb
 * expect: none
 * spin: READ from SET
 * tsan: racy without _Atomic
 */
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
#include "order.h"

enum { THREADS = 4, ROUNDS = 10 };

static VAR int turn;
static long sums[THREADS];
static struct {
    long counter;
    int last;
} shared;

static int is_set(VAR int *word, int wanted)
{
    return *word == wanted; /* spin: READ */
}

static void relax(void)
{
    sched_yield();
    ORDER();
}

static void set(VAR int *word, int value)
{
    ORDER();
    *word = value; /* spin: SET */
}

static void *work(void *arg)
{
    long self = (long)arg;
    for (int i = 0; i < ROUNDS; i++) {
        while (!is_set(&turn, i * THREADS + self))
            relax();
        ORDER();
        shared.counter += self;
        shared.last = self;
        sums[i % THREADS] += shared.counter;
        usleep(100);
        set(&turn, i * THREADS + self + 1);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return shared.counter != ROUNDS * 6 || shared.last != THREADS - 1 || sums[0] == 0;
}
