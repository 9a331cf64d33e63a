/*
 * claim: a sense-reversing barrier that counts with an atomic instruction is recognised
 * build: -O0 -DVAR=
 * build: -O0 -DVAR=volatile
 * build: -O0 -DVAR=_Atomic
 * build: -O2 -DVAR=
 * build: -O2 -DVAR=volatile
 * build: -O2 -DVAR=_Atomic
 * predict: hb
 * expect: none
 * spin: SPIN from TURN
 * tsan: racy without _Atomic
 */
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
#include "order.h"

enum { THREADS = 4, WIDTH = 8, CELLS = THREADS * WIDTH, PHASES = 12 };

static VAR int count = THREADS;
static VAR int sense = 1;
static long grid[2][THREADS * WIDTH];
static long partial[THREADS], total;

static void barrier(int *local)
{
    *local = !*local;
    if (__sync_sub_and_fetch((int *)&count, 1) == 0) {
        count = THREADS;
        ORDER();
        sense = *local; /* spin: TURN */
    } else {
        while (sense != *local) { /* spin: SPIN */
            sched_yield();
            ORDER();
        }
    }
    ORDER();
}

/* Each cell becomes the sum of its two neighbours; the sum of all doubles with each phase. */
static void *work(void *arg)
{
    long self = (long)arg;
    int sense_of_mine = 1;
    for (int phase = 0; phase < PHASES; phase++) {
        long *from = grid[phase % 2], *to = grid[(phase + 1) % 2];
        partial[self] = 0;
        for (int i = self * WIDTH; i < (self + 1) * WIDTH; i++) {
            to[i] = from[(i + 1) % CELLS] + from[(i + CELLS - 1) % CELLS];
            partial[self] += to[i];
        }
        if (phase % THREADS == self)
            usleep(300); /* long enough for the others to spin */
        barrier(&sense_of_mine);
        if (self == 0) {
            total = 0;
            for (int i = 0; i < THREADS; i++)
                total += partial[i];
        }
        barrier(&sense_of_mine);
        if (total != (long)CELLS << (phase + 1))
            return &total;
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    int wrong = 0;
    for (int i = 0; i < CELLS; i++)
        grid[0][i] = 1;
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        wrong |= result != NULL;
    }
    return wrong || total != (long)CELLS << PHASES;
}
