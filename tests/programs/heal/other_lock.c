/*
 * claim: a few updates under another lock than everybody else's are lost in most runs, and never under block and lock
 * build: -O0
 * build: -O1
 * build: -O2
 * build: -O1 -DOFTEN
 * alone: fails
 * certain: block lock
 * runs: 10
 * heals: balance
 */
#include "tellers.h"

#ifdef OFTEN
enum { VISITS = 100 };
#else
enum { VISITS = 6 };
#endif

static pthread_mutex_t wrong = PTHREAD_MUTEX_INITIALIZER;

static void adjust(void)
{
    pthread_mutex_lock(&wrong);
    long seen = balance;
    dawdle(10000);
    balance = seen + 1;
    pthread_mutex_unlock(&wrong);
}

/* Elision begins again in between, OFTEN or not. */
static void *outsider(void *arg)
{
    for (int visit = 0; visit < VISITS; visit++) {
        await_deposits(visit < 6 ? 4000 : 100);
        adjust();
    }
    made += VISITS;
    is_over = 1;
    return arg;
}

int main(void)
{
    return run_with(outsider);
}
