/*
 * claim: somebody is in a section that is left to a lock, and two others come who have locks of their own: both wait
 * build: -O1
 * build: -O2
 * alone: fails
 * certain: block
 * runs: 10
 * heals: balance
 */
#include "slow.h"

enum { STRAYS = 2, ROUNDS = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t others[STRAYS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static volatile long balance;
static _Atomic long made;
static _Atomic int left = STRAYS;

static void deposit(void)
{
    pthread_mutex_lock(&lock);
    long seen = balance;
    be_slow();
    balance = seen + 1;
    pthread_mutex_unlock(&lock);
}

static void adjust(long self)
{
    pthread_mutex_lock(&others[self]);
    long seen = balance;
    dawdle(2000);
    balance = seen + 1;
    pthread_mutex_unlock(&others[self]);
}

static void *teller(void *arg)
{
    while (left) {
        deposit();
        progress++;
        made++;
    }
    return arg;
}

static void *stray(void *arg)
{
    await_slow();
    for (int i = 0; i < ROUNDS; i++)
        adjust((long)arg);
    made += ROUNDS;
    is_slow = 0;
    left--;
    return arg;
}

int main(void)
{
    pthread_t threads[STRAYS + 1];
    pthread_create(&threads[STRAYS], NULL, teller, NULL);
    for (long i = 0; i < STRAYS; i++)
        pthread_create(&threads[i], NULL, stray, (void *)i);
    for (int i = 0; i <= STRAYS; i++)
        pthread_join(threads[i], NULL);
    if (balance == made)
        return 0;
    fprintf(stderr, "the balance is %ld, not %ld\n", balance, (long)made);
    return 1;
}
