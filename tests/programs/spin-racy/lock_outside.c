/*
 * claim: a look at the data of a hand-made lock from outside is predicted
 * build: -O0 -DVAR=
 * build: -O0 -DVAR=_Atomic
 * build: -O2 -DVAR=
 * build: -O2 -DVAR=volatile
 * predict: hb
 * predict: hybrid
 * expect: data-race on total at INSIDE and OUTSIDE
 * spin: SPIN from GIVE
 */
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
#include "../spin/order.h"

enum { THREADS = 3, ROUNDS = 20 };

static VAR int taken;
static long total, rounds;

static void lock(void)
{
    while (__atomic_exchange_n((int *)&taken, 1, __ATOMIC_SEQ_CST)) {
        while (taken) { /* spin: SPIN */
            sched_yield();
            ORDER();
        }
    }
    ORDER();
}

static void unlock(void)
{
    ORDER();
    taken = 0; /* spin: GIVE */
}

static void *adder(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        lock();
        total += 2; /* race: INSIDE */
        rounds++;
        if (i % 8 == 0)
            usleep(50);
        unlock();
    }
    return arg;
}

static void *watcher(void *arg)
{
    usleep(300);
    if (total % 2 != 0) /* race: OUTSIDE */
        return &total;
    return arg;
}

int main(void)
{
    pthread_t threads[THREADS + 1];
    void *result;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, adder, NULL);
    pthread_create(&threads[THREADS], NULL, watcher, NULL);
    for (int i = 0; i <= THREADS; i++)
        pthread_join(threads[i], &result);
    return result != NULL || total != 2 * rounds || rounds != THREADS * ROUNDS;
}
