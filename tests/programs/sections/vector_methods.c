/*
 * claim: the copy of a vector whose methods are in another object file: it is learned
 * build: -O0
 * build: -O1
 * build: -O2
 * object: vector.c
 * sections: learn
 * expect: atomicity-violation on vector->size at SIZE and RESIZE and ELEMENTS [read write read]
 * fixed: yes
 */
#include "../parts/vector.h"

#include "meet.h"

static struct vector shared;

static void *copies(void *arg)
{
    int array[ROOM] = {-1, -1, -1, -1}, size;
    long sum = 0;
#ifdef FIXED
    pthread_mutex_lock(&shared.lock);
#endif
    size = vector_size(&shared);
    linger();
    vector_to_array(&shared, array);
#ifdef FIXED
    pthread_mutex_unlock(&shared.lock);
#endif
    for (int i = 0; i < size; i++)
        sum += array[i];
    (void)arg;
    return (void *)sum;
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
