/*
 * claim: two reads of a setting that must agree, each of them locked, can be torn by a write
 * build: -O0
 * build: -O1
 * build: -O2
 * sections: infer --kind=pair
 * sections: hand
 * sections: learn
 * section: FIRST to SECOND on level
 * expect: atomicity-violation on level at FIRST and CHANGE and SECOND [read write read]
 * fixed: yes
 */
#include "meet.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int level;
static int torn;

static void *reads(void *arg)
{
    int begin, end;
    pthread_mutex_lock(&lock);
    begin = level; /* access: FIRST */
    give_way(&lock);
    end = level; /* access: SECOND */
    pthread_mutex_unlock(&lock);
    torn += begin != end; /* this thread only */
    return arg;
}

static void *changes(void *arg)
{
    come_later((long)arg);
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
