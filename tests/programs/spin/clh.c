/*
 * claim: data behind a CLH lock is ordered by it (Tian, figure 2b)
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

struct node {
    struct node *prev;
    VAR int must_wait;
};

static struct node nodes[THREADS + 1]; /* the last one stands for the lock that is free */
static struct node *VAR tail = &nodes[THREADS];

struct account {
    long balance;
    int bookings;
};

static struct account accounts[ACCOUNTS];
static long history[THREADS * ROUNDS];
static int written;

static void lock(struct node *me)
{
    me->must_wait = 1;
    ORDER();
    struct node *prev = __atomic_exchange_n((struct node **)&tail, me, __ATOMIC_SEQ_CST);
    me->prev = prev;
    while (prev->must_wait) { /* spin: SPIN */
        sched_yield();
        ORDER();
    }
    ORDER();
}

/* The node of the one before us is free now, and the one after us looks at ours. */
static struct node *unlock(struct node *me)
{
    struct node *prev = me->prev;
    ORDER();
    me->must_wait = 0; /* spin: GIVE */
    return prev;
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
    struct node *me = &nodes[self];
    for (int i = 0; i < ROUNDS; i++) {
        lock(me);
        book((self + i) % ACCOUNTS, (self + i + 1) % ACCOUNTS, self + i + 1);
        if (i % 8 == 0)
            usleep(50); /* long enough for the others to spin */
        me = unlock(me);
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
