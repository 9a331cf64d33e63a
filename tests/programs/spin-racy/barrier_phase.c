/*
 * claim: what is taken from another thread one phase too early is predicted
 * build: -O0 -DVAR=
 * build: -O0 -DVAR=_Atomic
 * build: -O2 -DVAR=
 * build: -O2 -DVAR=volatile
 * predict: hb
 * predict: hybrid
 * expect: data-race on next[] or next[1] or next+8 at WRITE and PEEK
 * spin: SPIN from TURN
 */
#include <pthread.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>
#include "../spin/order.h"

enum { THREADS = 2, PHASES = 8, HERE = 0123 };

static VAR int count = THREADS;
static VAR int sense = 1;
static long now[THREADS], next[THREADS];

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

/* Neither goes on before the other has come so far; nobody knows that this orders. */
static void meet(long self)
{
    if (self == 0) {
        alarm(1000);
        while (umask(0) != HERE)
            usleep(1000);
    } else {
        umask(HERE);
        while (!alarm(0))
            usleep(1000);
    }
}

static void *work(void *arg)
{
    long self = (long)arg, peeked = 0;
    int local = 1;
    for (int phase = 0; phase < PHASES; phase++) {
        long sum = now[self] + 1; /* both are through the barrier before they meet */
        if (phase == 2)
            meet(self);
        next[self] = sum; /* race: WRITE */
        if (self == 0 && phase == 2)
            peeked = next[1]; /* race: PEEK */
        if (phase % THREADS == self)
            usleep(300);
        barrier(&local);
        now[self] = next[(self + 1) % THREADS];
        barrier(&local);
    }
    return peeked > PHASES ? arg : NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return now[0] != PHASES || now[1] != PHASES;
}
