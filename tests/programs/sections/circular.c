/*
 * claim: the one access of a loop is entry and end: what it reads must not change meanwhile
 * build: -O0
 * build: -O1
 * build: -O2
 * sections: infer --kind=pair
 * inferred: pair on limit from ROUND to ROUND
 * expect: atomicity-violation on limit at ROUND and CHANGE and ROUND [read write read]
 * fixed: yes
 */
#include "meet.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long limit = 5;
static long sums[MEETINGS];

static void *sums_up(void *arg)
{
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    for (int i = 0; i < 3; i++) {
#ifndef FIXED
        pthread_mutex_lock(&lock);
#endif
        sums[(long)arg] += limit; /* access: ROUND */
#ifndef FIXED
        pthread_mutex_unlock(&lock);
#endif
        usleep(60);
    }
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    return NULL;
}

static void *changes(void *arg)
{
    come_later((long)arg);
    pthread_mutex_lock(&lock);
    limit = 5 + (long)arg % 2; /* access: CHANGE */
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    meet(sums_up, changes);
#ifdef FIXED
    for (int i = 0; i < MEETINGS; i++)
        if (sums[i] != 15 && sums[i] != 18)
            return 1;
#endif
    return 0;
}
