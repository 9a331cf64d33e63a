/*
 * claim: a section encloses the recursive call, and the thread's own accesses do no harm
 * build: -O0
 * build: -O1
 * build: -O2
 * sections: infer --kind=load-and-store,test-and-use
 * inferred: load-and-store on total from READ to WRITE
 * expect: atomicity-violation on total at READ and CHANGE and WRITE
 * allow: data-race on total
 * fixed: yes
 */
#include "meet.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;

/* Adds the number of calls, from the inside out: each call takes back what the inner ones have
 * added. */
static void descend(int depth)
{
    long before = total; /* access: READ */
    if (depth > 0)
        descend(depth - 1);
    else
        linger();
    total = before + 1; /* access: WRITE CHANGE */
}

static void *descends(void *arg)
{
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    descend(5);
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    return arg;
}

static void *changes(void *arg)
{
    come_later((long)arg);
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    total = 1000 * (long)arg; /* access: CHANGE */
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    return NULL;
}

int main(void)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    meet(descends, changes);
    return 0;
}
