/*
 * claim: a section that calls somebody unknown is left to the lock that it is under, and healed all the same from the
 *        first time on that the lock is given back there: against those who take the lock, and who do not
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
static _Atomic int given; /* how often */

static void stay(void)
{
}

static void give_way(void)
{
    pthread_mutex_unlock(&lock);
    given++;
    dawdle(300000);
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

/* Does not know of the lock, and comes when the clerk has given it back. */
static void *stray(void *arg)
{
    for (int i = 0; i < TIMES; i++) {
        while (given <= i)
            usleep(10);
        balance = balance + 1;
        made++;
    }
    return arg;
}

static void *clerk(void *arg)
{
    pthread_t other;
    if (pthread_create(&other, NULL, stray, NULL))
        abort();
    for (int i = 0; i < TIMES; i++) {
        await_deposits(2000);
        between = stay;
        for (int quiet = 0; quiet < QUIET; quiet++)
            transfer();
        between = give_way;
        transfer();
    }
    pthread_join(other, NULL);
    is_over = 1;
    return arg;
}

int main(void)
{
    return run_with(clerk);
}
