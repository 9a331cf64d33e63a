/*
 * claim: a lock that waits longer each time before it looks again is recognised
 * build: -O0 -DVAR=
 * build: -O0 -DVAR=volatile
 * build: -O0 -DVAR=_Atomic
 * build: -O2 -DVAR=
 * build: -O2 -DVAR=volatile
 * build: -O2 -DVAR=_Atomic
 * predict: hb
 * expect: none
 * spin: SPIN from GIVE
 * tsan: racy without _Atomic
 */
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
#include "order.h"

enum { THREADS = 4, ROUNDS = 40, ACCOUNTS = 5 };

static VAR int taken;

struct account {
    long balance;
    int bookings;
};

static struct account accounts[ACCOUNTS];
static long history[THREADS * ROUNDS];
static int written;

static void lock(void)
{
    int patience = 1;
    for (;;) {
        while (taken) { /* spin: SPIN */
            for (int i = 0; i < patience; i++)
                PAUSE();
            if (patience < 64)
                patience *= 2;
            else
                sched_yield();
            ORDER();
        }
        if (__sync_bool_compare_and_swap((int *)&taken, 0, 1))
            break;
    }
    ORDER();
}

static void unlock(void)
{
    ORDER();
    taken = 0; /* spin: GIVE */
}

static void book(int from, int to, long amount)
{
    accounts[from].balance -= amount;
    accounts[from].bookings++;
    accounts[to].balance += amount;
    accounts[to].bookings++;
    history[written++] = amount;
}

static void *teller(void *arg)
{
    long self = (long)arg;
    for (int i = 0; i < ROUNDS; i++) {
        lock();
        book((self + i) % ACCOUNTS, (self + i + 1) % ACCOUNTS, self + i + 1);
        if (i % 8 == 0)
            usleep(50); /* long enough for the others to spin */
        unlock();
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    long sum = 0;
    int bookings = 0;
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, teller, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < ACCOUNTS; i++) {
        sum += accounts[i].balance;
        bookings += accounts[i].bookings;
    }
    return sum != 0 || bookings != 2 * THREADS * ROUNDS || written != THREADS * ROUNDS ||
           history[THREADS * ROUNDS - 1] == 0;
}
