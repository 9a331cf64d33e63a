/*
 * claim: what is annotated as one block over a variable is violated by a write of another thread
 * build: -O0
 * build: -O1
 * build: -O2
 * sections: infer --kind=load-and-store,test-and-use
 * expect: atomicity-violation on level at FIRST and CHANGE and SECOND with section.kind=by-hand
 * fixed: yes
 */
#include <darn.h>

#include "meet.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int level;
static int torn; /* the reader's */

static void *reads(void *arg)
{
    int begin, end, outside;
    pthread_mutex_lock(&lock);
    outside = level; /* what comes before the block does not belong to it */
    pthread_mutex_unlock(&lock);
    linger();
    pthread_mutex_lock(&lock);
    DARN_ATOMIC_BEGIN(level);
    begin = level; /* access: FIRST */
    give_way(&lock);
    end = level; /* access: SECOND */
    DARN_ATOMIC_END(level);
    pthread_mutex_unlock(&lock);
    torn += begin != end || outside < 0;
    return arg;
}

static void *changes(void *arg)
{
    usleep((unsigned)(40 + (long)arg * 13 % 400));
    pthread_mutex_lock(&lock);
    level = (int)(long)arg + 1; /* access: CHANGE */
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    meet(reads, changes);
    return IS_FIXED && torn != 0;
}
