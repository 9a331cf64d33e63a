/*
 * claim: all that an annotated function does with a variable, also by calls, belongs together
 * build: -O0
 * build: -O1
 * build: -O2
 * object: vector.c
 * sections: infer --kind=load-and-store,test-and-use
 * expect: atomicity-violation on vector->size at SIZE and RESIZE and ELEMENTS [read write read]
 * fixed: yes
 */
#include <darn.h>

#include "../parts/vector.h"

#include "meet.h"

static struct vector shared;

DARN_ATOMIC_FUNCTION static long copy(struct vector *from)
{
    int array[ROOM] = {-1, -1, -1, -1}, size;
    long sum = 0;
#ifdef FIXED
    pthread_mutex_lock(&from->lock);
#endif
    size = vector_size(from);
    linger();
    vector_to_array(from, array);
#ifdef FIXED
    pthread_mutex_unlock(&from->lock);
#endif
    for (int i = 0; i < size; i++)
        sum += array[i];
    return sum;
}

static void *copies(void *arg)
{
    (void)arg;
    return (void *)copy(&shared);
}

static void *clears(void *arg)
{
    come_later((long)arg);
    vector_resize(&shared, 0);
    return NULL;
}

int main(void)
{
    long wrong = 0;
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&shared.lock, &recursive);
    for (long i = 0; i < MEETINGS; i++) {
        vector_resize(&shared, ROOM);
        wrong += meet_once(copies, clears, i) != NULL;
    }
    return IS_FIXED && wrong != 0;
}
