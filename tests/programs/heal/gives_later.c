/*
 * claim: a section that calls somebody unknown is left to the lock that it is under, and healed all the same from the
 *        first time on that the lock is given back there
 * build: -O1
 * build: -O2
 * alone: fails
 * certain: block
 * runs: 10
 * heals: balance
 */
#include "tellers.h"

enum { TIMES = 3, QUIET = 2000 };

static void (*volatile between)(void);

static void stay(void)
{
}

static void give_way(void)
{
    pthread_mutex_unlock(&lock);
    dawdle(10000);
    pthread_mutex_lock(&lock);
}

/* As if nobody could come in between. */
static void transfer(void)
{
    pthread_mutex_lock(&lock);
    long seen = balance;
    between();
    balance = seen + 1;
    pthread_mutex_unlock(&lock);
    made++;
}

static void *clerk(void *arg)
{
    for (int i = 0; i < TIMES; i++) {
        await_deposits(2000);
        between = stay;
        for (int quiet = 0; quiet < QUIET; quiet++)
            transfer();
        between = give_way;
        transfer();
    }
    is_over = 1;
    return arg;
}

int main(void)
{
    return run_with(clerk);
}
