/*
 * claim: a count that is written back in another critical section overwrites what came between
 * build: -O0
 * build: -O1
 * build: -O2
 * sections: infer --kind=load-and-store,test-and-use
 * inferred: load-and-store on count from READ to WRITE
 * expect: atomicity-violation on count at READ and CHANGE and WRITE
 * fixed: yes
 */
#include "meet.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long count;

static void *slow(void *arg)
{
    long n;
    pthread_mutex_lock(&lock);
    n = count; /* access: READ */
    give_way(&lock);
    n = 2 * n + 1;
    n = n % 1000;
    count = n; /* access: WRITE CHANGE */
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *fast(void *arg)
{
    come_later((long)arg);
    pthread_mutex_lock(&lock);
    count++; /* access: CHANGE */
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    meet(slow, fast);
    return 0;
}
