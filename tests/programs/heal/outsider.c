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
#include "tellers.h"

enum { VISITS = 4, CHANGES = 20 };

/* Forgets the lock. */
static void adjust(void)
{
    long seen = balance;
    dawdle(4000);
    balance = seen + 1;
}

/* Comes again and again, after longer and longer times: each takes the others' peace. */
static void *outsider(void *arg)
{
    for (int visit = 0; visit < VISITS; visit++) {
        await_deposits(4000L << visit);
        for (int i = 0; i < CHANGES; i++)
            adjust();
    }
    made += VISITS * CHANGES;
    is_over = 1;
    return arg;
}

int main(void)
{
    return run_with(outsider);
}
