/*
 * claim: a flag that is set long before it is looked at is recognised (Tian missed it in FMM)
 * build: -O0 -DVAR=
 * build: -O0 -DVAR=volatile
 * build: -O0 -DVAR=_Atomic
 * build: -O2 -DVAR=
 * build: -O2 -DVAR=volatile
 * build: -O2 -DVAR=_Atomic
 * predict: hb
 * expect: none
 * spin: WAIT from SET
 * tsan: racy without _Atomic
 */
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
#include "order.h"

enum { BOXES = 6, TERMS = 16 };

struct box {
    double expansion[TERMS];
    long particles;
    VAR int ready;
};

static struct box boxes[BOXES];

static void *upward(void *arg)
{
    for (int b = 0; b < BOXES; b++) {
        for (int i = 0; i < TERMS; i++)
            boxes[b].expansion[i] = b + i;
        boxes[b].particles = b;
        ORDER();
        boxes[b].ready = 1; /* spin: SET */
    }
    return arg;
}

static void *downward(void *arg)
{
    double *sum = arg;
    usleep(20000); /* the other thread has finished: the loop below goes round once */
    for (int b = 0; b < BOXES; b++) {
        while (!boxes[b].ready) { /* spin: WAIT */
            sched_yield();
            ORDER();
        }
        ORDER();
        for (int i = 0; i < TERMS; i++)
            *sum += boxes[b].expansion[i];
        *sum += boxes[b].particles;
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    double sum = 0;
    pthread_create(&threads[0], NULL, upward, NULL);
    pthread_create(&threads[1], NULL, downward, &sum);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return sum != TERMS * 15 + 6 * 120 + 15;
}
