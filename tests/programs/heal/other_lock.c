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
#include "crowd.h"

#ifdef OFTEN
enum { VISITS = 100 };
#else
enum { VISITS = 6 };
#endif
enum { TELLERS = 3, DEPOSITS = 20000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, wrong = PTHREAD_MUTEX_INITIALIZER;
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

static void adjust(void)
{
    pthread_mutex_lock(&wrong);
    long seen = balance;
    dawdle(10000);
    balance = seen + 1;
    pthread_mutex_unlock(&wrong);
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

/* Everybody else is trusted again in between, OFTEN or not. */
static void *outsider(void *arg)
{
    long wanted;
    for (int visit = 0; visit < VISITS; visit++) {
        wanted = progress + (visit < 6 ? 4000 : 100);
        while (progress < wanted)
            usleep(100);
        adjust();
    }
    made += VISITS;
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
