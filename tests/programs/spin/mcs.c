/*
 * claim: data behind an MCS lock is ordered by it
 * build: -O0 -DVAR=
 * build: -O0 -DVAR=volatile
 * build: -O0 -DVAR=_Atomic
 * build: -O2 -DVAR=
 * build: -O2 -DVAR=volatile
 * build: -O2 -DVAR=_Atomic
 * predict: hb
 * expect: none
 * spin: SPIN from GIVE
 * spin: LINKED from LINK
 * tsan: racy without _Atomic
 */
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
#include "order.h"

enum { THREADS = 4, ROUNDS = 40, ACCOUNTS = 5 };

struct node {
    struct node *VAR next;
    VAR int waiting;
};

static struct node nodes[THREADS];
static struct node *VAR tail;

struct account {
    long balance;
    int bookings;
};

static struct account accounts[ACCOUNTS];
static long history[THREADS * ROUNDS];
static int written;

static void lock(struct node *me)
{
    me->next = NULL;
    me->waiting = 1;
    ORDER();
    struct node *prev = __atomic_exchange_n((struct node **)&tail, me, __ATOMIC_SEQ_CST);
    if (prev) {
        usleep(2000);         /* the one before us may come to its unlock meanwhile */
        prev->next = me;      /* spin: LINK */
        while (me->waiting) { /* spin: SPIN */
            sched_yield();
            ORDER();
        }
    }
    ORDER();
}

static void unlock(struct node *me)
{
    struct node *after = me->next;
    ORDER();
    if (after == NULL) {
        if (__sync_bool_compare_and_swap((struct node **)&tail, me, NULL))
            return;
        while ((after = me->next) == NULL) { /* spin: LINKED */
            sched_yield();
            ORDER();
        }
    }
    after->waiting = 0; /* spin: GIVE */
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
        unlock(me);
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
