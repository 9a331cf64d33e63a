/*
 * claim: a flag that another thread spins on is set before the data that it announces
 * build: -O1
 * bug: assert
 * within: 20
 * fixed: yes
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int ready;
static int data;

static void *produce(void *arg)
{
#ifdef FIXED
    data = 42;
    atomic_store(&ready, 1);
#else
    atomic_store(&ready, 1);
    data = 42;
#endif
    return arg;
}

static void *consume(void *arg)
{
    while (!atomic_load(&ready))
        sched_yield();
    assert(data == 42);
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
