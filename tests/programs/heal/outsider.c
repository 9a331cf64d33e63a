/*
 * claim: updates without the lock that all others have held for long are lost in most runs, and never under block and
 *        lock
 * build: -O0
 * build: -O1
 * build: -O2
 * alone: fails
 * certain: block lock
 * runs: 10
 * heals: balance
 */
#include "crowd.h"

enum { TELLERS = 3, DEPOSITS = 20000, VISITS = 4, CHANGES = 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile long balance;
static _Atomic long progress, made;
static _Atomic int is_over;

static void deposit(void)
{
    pthread_mutex_lock(&lock);
    long seen = balance;
    dawdle(20);
    balance = seen + 1;
    pthread_mutex_unlock(&lock);
}

/* Forgets the lock. */
static void adjust(void)
{
    long seen = balance;
    dawdle(4000);
    balance = seen + 1;
}

static void *teller(void *arg)
{
    long i;
    crowd_begin_apart((long)arg);
    for (i = 0; i < DEPOSITS || !is_over; i++) {
        deposit();
        progress++;
    }
    made += i;
    return arg;
}

/* Comes again and again, after longer and longer times: each takes the others' peace. */
static void *outsider(void *arg)
{
    long wanted = 0;
    for (int visit = 0; visit < VISITS; visit++) {
        wanted = progress + (4000L << visit);
        while (progress < wanted)
            usleep(100);
        for (int i = 0; i < CHANGES; i++)
            adjust();
    }
    made += VISITS * CHANGES;
    is_over = 1;
    return arg;
}

int main(void)
{
    pthread_t other;
    if (pthread_create(&other, NULL, outsider, NULL))
        abort();
    crowd(TELLERS, teller);
    pthread_join(other, NULL);
    if (balance == made)
        return 0;
    fprintf(stderr, "the balance is %ld, not %ld\n", balance, (long)made);
    return 1;
}
