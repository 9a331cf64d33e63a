/*
 * claim: deposits without a lock are lost in most runs, and never under block and lock
 * build: -O0
 * build: -O1
 * build: -O2
 * build: -O1 -DSLOW
 * alone: fails
 * certain: block lock
 * runs: 20
 * heals: balance
 */
#include "crowd.h"

enum { TELLERS = 3, DEPOSITS = 200 };

static volatile long balance;

static void deposit(long amount)
{
    long seen = balance;
#ifdef SLOW
    if (amount % 20 == 0)
        usleep(20);
#endif
    dawdle(4000);
    balance = seen + amount;
}

static void *teller(void *arg)
{
    crowd_begin_apart((long)arg);
    for (int i = 1; i <= DEPOSITS; i++)
        deposit(i);
    return arg;
}

int main(void)
{
    long wanted = (long)TELLERS * DEPOSITS * (DEPOSITS + 1) / 2;
    crowd(TELLERS, teller);
    if (balance == wanted)
        return 0;
    fprintf(stderr, "the balance is %ld, not %ld\n", balance, wanted);
    return 1;
}
