/*
 * claim: a reader comes between two writes and sees what nobody was to see
 * build: -O0
 * build: -O1
 * build: -O2
 * sections: infer --kind=pair
 * sections: hand
 * section: CLEAR to SET on total
 * expect: atomicity-violation on total at CLEAR and READ and SET [write read write]
 * fixed: yes
 */
#include "meet.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total = 1;
static int seen; /* by the reader only: the intermediate state */

static void *writes(void *arg)
{
    pthread_mutex_lock(&lock);
    total = 0; /* access: CLEAR */
    give_way(&lock);
    total = (long)arg + 1; /* access: SET */
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *reads(void *arg)
{
    come_later((long)arg);
    pthread_mutex_lock(&lock);
    seen += total == 0; /* access: READ */
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    meet(writes, reads);
    return IS_FIXED && seen != 0;
}
