/*
 * claim: flags that are always set by the time when the work before them is done are recognised
 * build: -O0 -DVAR=
 * build: -O0 -DVAR=volatile
 * build: -O0 -DVAR=_Atomic
 * build: -O2 -DVAR=
 * build: -O2 -DVAR=volatile
 * build: -O2 -DVAR=_Atomic
 * predict: hb
 * expect: none
 * spin: WAIT_LEFT from SET
 * spin: WAIT_RIGHT from SET
 * tsan: racy without _Atomic
 */
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
#include "order.h"

enum { THREADS = 3, STEPS = 8, WORK = 4000 };

/* A wavefront: each step of a thread needs the step before of both neighbours, which is as long. */
static VAR int done[THREADS][STEPS + 1];
static long value[THREADS][STEPS + 1];
static long busy[THREADS];

static void compute(long self)
{
    for (int i = 0; i < WORK; i++)
        busy[self] += i ^ self;
    usleep(1000);
}

static void *work(void *arg)
{
    long self = (long)arg, left = (self + THREADS - 1) % THREADS, right = (self + 1) % THREADS;
    for (int step = 1; step <= STEPS; step++) {
        compute(self);
        if (step > 2) {
            while (!done[left][step - 2]) { /* spin: WAIT_LEFT */
                sched_yield();
                ORDER();
            }
            while (!done[right][step - 2]) { /* spin: WAIT_RIGHT */
                sched_yield();
                ORDER();
            }
            ORDER();
            value[self][step] = value[left][step - 2] + value[right][step - 2];
        } else {
            value[self][step] = 1;
        }
        ORDER();
        done[self][step] = 1; /* spin: SET */
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
    return value[0][STEPS] != 8;
}
