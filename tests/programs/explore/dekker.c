/*
 * claim: Dekker's lock without raising the flag again after having given way: both are inside
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
    atomic_store(&wants[me], 1);
    while (atomic_load(&wants[other])) {
        if (atomic_load(&turn) == me) {
            sched_yield();
            continue;
        }
        atomic_store(&wants[me], 0);
        while (atomic_load(&turn) != me)
            sched_yield();
#ifdef FIXED
        atomic_store(&wants[me], 1);
#endif
    }
}

static void leave(int me)
{
    atomic_store(&turn, 1 - me);
    atomic_store(&wants[me], 0);
}

static void *work(void *arg)
{
    int me = (int)(long)arg;
    for (int i = 0; i < 2 - me; i++) {
        enter(me);
        inside = me;
        assert(inside == me);
        leave(me);
    }
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
