/*
 * claim: a section is held until its last access is made, also where one check of the compiler speaks for several
 * build: -O1
 * build: -O2
 * alone: fails
 * certain: block lock
 * runs: 5
 * heals: balance
 */
#include "crowd.h"

enum { TELLERS = 2, DEPOSITS = 3000 };

/* Each on a line of its own. */
static _Alignas(64) long balance;
static _Alignas(64) struct {
    long a, b, c, d, e, f;
} last[TELLERS];

__attribute__((noinline)) static void deposit(long amount, long teller)
{
    balance = balance + amount;
    last[teller].a = amount;
    last[teller].b += amount;
    last[teller].c += 2;
    last[teller].d ^= amount;
    last[teller].e = teller;
    last[teller].f -= amount;
}

static void *teller(void *arg)
{
    crowd_begin_apart((long)arg);
    for (int i = 1; i <= DEPOSITS; i++)
        deposit(i, (long)arg);
    return arg;
}

int main(void)
{
    long wanted = (long)TELLERS * DEPOSITS * (DEPOSITS + 1) / 2;
    crowd(TELLERS, teller);
    return balance != wanted;
}
