/*
 * claim: an owner that looks at the head before it moves the tail: an item is taken twice
 * build: -O1
 * bug: assert
 * within: 200
 * fixed: yes
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

/* The queue of Cilk (THE): the owner takes at the tail, thieves under a lock at the head. Items are
 * numbers from 0, put there before the threads start. */
enum { ITEMS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int head, tail = ITEMS;
static atomic_int taken[ITEMS];

static int take(void)
{
    int last = atomic_load(&tail) - 1;
#ifdef FIXED
    atomic_store(&tail, last);
    if (atomic_load(&head) <= last)
        return last;
    /* A thief may be about to give way: only under the lock is it known who got the last one. */
    atomic_store(&tail, last + 1);
    pthread_mutex_lock(&lock);
    atomic_store(&tail, last);
    if (atomic_load(&head) > last) {
        atomic_store(&tail, last + 1);
        last = -1;
    }
    pthread_mutex_unlock(&lock);
    return last;
#else
    if (atomic_load(&head) > last)
        return -1;
    atomic_store(&tail, last);
    return last;
#endif
}

static int steal(void)
{
    int first;
    pthread_mutex_lock(&lock);
    first = atomic_load(&head);
    atomic_store(&head, first + 1);
    if (first + 1 > atomic_load(&tail)) {
        atomic_store(&head, first);
        first = -1;
    }
    pthread_mutex_unlock(&lock);
    return first;
}

static void check(int item)
{
    if (item >= 0)
        assert(atomic_fetch_add(&taken[item], 1) == 0);
}

static void *own(void *arg)
{
    for (int i = 0; i < ITEMS; i++)
        check(take());
    return arg;
}

static void *thief(void *arg)
{
    check(steal());
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, own, NULL);
    pthread_create(&threads[1], NULL, thief, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < ITEMS; i++)
        assert(atomic_load(&taken[i]) == 1);
    return 0;
}
