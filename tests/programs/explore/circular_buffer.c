/*
 * claim: a producer that moves the index before it writes the slot: an old value is read
 * build: -O1
 * bug: assert
 * within: 20
 * fixed: yes
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { SLOTS = 2, ITEMS = 3 };

static int slots[SLOTS];
static atomic_int put, taken; /* how many, ever */

static void *produce(void *arg)
{
    for (int i = 0; i < ITEMS; i++) {
        while (i - atomic_load(&taken) == SLOTS)
            sched_yield();
#ifdef FIXED
        slots[i % SLOTS] = i + 1;
        atomic_store(&put, i + 1);
#else
        atomic_store(&put, i + 1);
        slots[i % SLOTS] = i + 1;
#endif
    }
    return arg;
}

static void *consume(void *arg)
{
    for (int i = 0; i < ITEMS; i++) {
        while (atomic_load(&put) == i)
            sched_yield();
        assert(slots[i % SLOTS] == i + 1);
        atomic_store(&taken, i + 1);
    }
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, produce, NULL);
    pthread_create(&threads[1], NULL, consume, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
