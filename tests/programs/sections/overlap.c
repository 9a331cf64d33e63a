/*
 * claim: of a chain of accesses each one is the end of a section and the entry of the next
 * build: -O0
 * build: -O1
 * build: -O2
 * sections: infer --kind=pair
 * inferred: pair on stage from ONE to TWO
 * inferred: pair on stage from TWO to THREE
 * expect: atomicity-violation on stage at ONE and CHANGE and TWO [read write read]
 * expect: atomicity-violation on stage at TWO and CHANGE and THREE [read write write]
 * fixed: yes
 */
#include "meet.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long stage;
static int torn;

static void *goes_on(void *arg)
{
    long one, two;
    pthread_mutex_lock(&lock);
    one = stage; /* access: ONE */
    give_way(&lock);
    two = stage; /* access: TWO */
    give_way(&lock);
    stage = (long)arg; /* access: THREE CHANGE */
    pthread_mutex_unlock(&lock);
    torn += one != two; /* this thread only */
    return NULL;
}

static void *changes(void *arg)
{
    usleep((unsigned)(20 + (long)arg * 97 % 1500));
    pthread_mutex_lock(&lock);
    stage = -(long)arg; /* access: CHANGE */
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    meet(goes_on, changes);
    return IS_FIXED && torn != 0;
}
