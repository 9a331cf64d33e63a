/* Tellers who deposit under a lock for as long as somebody else, who does not take it, has not come to an end. */
#ifndef DARN_TESTS_TELLERS_H
#define DARN_TESTS_TELLERS_H

#include "crowd.h"

enum { TELLERS = 3, DEPOSITS = 20000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
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

/* Until they have made so many more deposits. */
static void await_deposits(long count)
{
    long wanted = progress + count;
    while (progress < wanted)
        usleep(100);
}

/* The exit status: whether the balance is what all have made together. */
static int run_with(void *(*outsider)(void *))
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

#endif
