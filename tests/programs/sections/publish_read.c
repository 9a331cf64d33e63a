/*
 * claim: what a thread has written and reads again may be what another one wrote meanwhile
 * build: -O0
 * build: -O1
 * build: -O2
 * sections: infer --kind=pair
 * sections: hand
 * section: PUBLISH to READ on current
 * expect: atomicity-violation on current at PUBLISH and OTHER and READ [write write read]
 * fixed: yes
 */
#include "meet.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long current;
static int foreign; /* this thread has found the other's */

static void *publishes(void *arg)
{
    pthread_mutex_lock(&lock);
    current = (long)arg; /* access: PUBLISH */
    give_way(&lock);
    foreign += current != (long)arg; /* access: READ */
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *others(void *arg)
{
    come_later((long)arg);
    pthread_mutex_lock(&lock);
    current = -1; /* access: OTHER */
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    meet(publishes, others);
    return IS_FIXED && foreign != 0;
}
