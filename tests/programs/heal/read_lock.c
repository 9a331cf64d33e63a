/*
 * claim: a lock for reading does not keep a section that writes, also where the same section was always under the lock
 *        for writing before
 * build: -O1
 * build: -O2
 * build: -O2 -DCALLS
 * alone: fails
 * certain: block
 * runs: 10
 * heals: balance
 */
#include "crowd.h"

enum { RIGHT = 5000, WRONG = 20 };

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static volatile long balance;
static _Atomic long made;
static _Atomic int is_wrong;

#ifdef CALLS
static void stay(void)
{
}

static void (*volatile between)(void) = stay;
#endif

static void deposit(void)
{
    int wrong = is_wrong;
    if (wrong)
        pthread_rwlock_rdlock(&lock);
    else
        pthread_rwlock_wrlock(&lock);
    long seen = balance;
#ifdef CALLS
    between();
#endif
    dawdle(wrong ? 20000 : 10);
    balance = seen + 1;
    pthread_rwlock_unlock(&lock);
    made++;
}

static void *teller(void *arg)
{
    crowd_begin_apart((long)arg);
    for (int i = 0; i < RIGHT; i++)
        deposit();
    is_wrong = 1;
    for (int i = 0; i < WRONG; i++)
        deposit();
    return arg;
}

int main(void)
{
    crowd(2, teller);
    if (balance == made)
        return 0;
    fprintf(stderr, "the balance is %ld, not %ld\n", balance, (long)made);
    return 1;
}
