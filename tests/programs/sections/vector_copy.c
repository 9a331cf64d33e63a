/*
 * claim: a copy asks for the size, then for the elements, each of them locked (Wang & Stoller)
 * build: -O0
 * build: -O1
 * build: -O2
 * sections: infer --kind=pair
 * sections: hand
 * sections: learn
 * section: ASK to TAKE on size
 * expect: atomicity-violation on vector->size or vectors[].size at SIZE and CLEAR and ELEMENTS
 * [read write read] fixed: yes
 */
#include "meet.h"

enum { ROOM = 4 };

struct vector {
    pthread_mutex_t lock;
    int size;
    int elements[ROOM];
};

static struct vector
    vectors[MEETINGS]; /* one for each: nothing else comes before or after the copy */

static int vector_size(struct vector *vector)
{
    pthread_mutex_lock(&vector->lock);
    int size = vector->size; /* access: SIZE */
    pthread_mutex_unlock(&vector->lock);
    return size;
}

static void vector_to_array(struct vector *vector, int *array)
{
    pthread_mutex_lock(&vector->lock);
    int size = vector->size; /* access: ELEMENTS */
    for (int i = 0; i < size; i++)
        array[i] = vector->elements[i];
    pthread_mutex_unlock(&vector->lock);
}

static void vector_clear(struct vector *vector)
{
    pthread_mutex_lock(&vector->lock);
    vector->size = 0; /* access: CLEAR */
    pthread_mutex_unlock(&vector->lock);
}

/* The sum of the elements of a copy of `from`; those that were not copied are -1. */
static int copy(struct vector *from)
{
    int array[ROOM] = {-1, -1, -1, -1}, sum = 0;
#ifdef FIXED
    pthread_mutex_lock(&from->lock);
#endif
    int size = vector_size(from); /* access: ASK */
    linger();
    vector_to_array(from, array); /* access: TAKE */
#ifdef FIXED
    pthread_mutex_unlock(&from->lock);
#endif
    for (int i = 0; i < size; i++)
        sum += array[i];
    return sum;
}

static void *copies(void *arg)
{
    return (void *)(long)(copy(&vectors[(long)arg]) < 0);
}

static void *clears(void *arg)
{
    come_later((long)arg);
    vector_clear(&vectors[(long)arg]);
    return NULL;
}

int main(void)
{
    long wrong = 0;
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE); /* as the locks of Java are */
    for (int i = 0; i < MEETINGS; i++) {
        pthread_mutex_init(&vectors[i].lock, &recursive);
        vectors[i].size = ROOM;
    }
    for (long i = 0; i < MEETINGS; i++)
        wrong += meet_once(copies, clears, i) != NULL;
    return IS_FIXED && wrong != 0;
}
