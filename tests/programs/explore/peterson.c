/*
 * claim: Peterson's lock with its two stores in the wrong order lets both in
 * build: -O1
 * bug: assert
 * within: 2000
 * fixed: yes
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int wants[2], turn;
static volatile int inside;

static void enter(int me)
{
    int other = 1 - me;
#ifdef FIXED
    atomic_store(&wants[me], 1);
    atomic_store(&turn, other);
#else
    atomic_store(&turn, other);
    atomic_store(&wants[me], 1);
#endif
    while (atomic_load(&wants[other]) && atomic_load(&turn) == other)
        sched_yield();
}

static void *work(void *arg)
{
    int me = (int)(long)arg;
    enter(me);
    inside = me;
    assert(inside == me);
    atomic_store(&wants[me], 0);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
