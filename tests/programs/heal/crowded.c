/*
 * claim: with more threads than processors, deposits are lost by threads that are interrupted: never under block and lock
 * build: -O1
 * certain: block lock
 * runs: 5
 * heals: balance
 */
#include "crowd.h"

enum { TELLERS = 4, DEPOSITS = 60 };

static volatile long balance;

/* Most of the time a thread is in here: whoever takes the processor away from it takes it away in a section. */
static void deposit(long amount)
{
    long seen = balance;
    dawdle(20000);
    balance = seen + amount;
}

static void *teller(void *arg)
{
    crowd_begin();
    for (int i = 1; i <= DEPOSITS; i++) {
        dawdle(500);
        deposit(i);
    }
    return arg;
}

int main(void)
{
    crowd(TELLERS, teller);
    return balance != (long)TELLERS * DEPOSITS * (DEPOSITS + 1) / 2;
}
