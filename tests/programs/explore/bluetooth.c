/*
 * claim: a driver that looks for "stopping" before it counts itself in works on a stopped device
 * build: -O1
 * bug: assert
 * within: 20
 * fixed: yes
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>

static atomic_int pending = 1; /* one for the device itself */
static atomic_bool stopping, stopped;
static sem_t idle;

static void leave(void)
{
    if (atomic_fetch_sub(&pending, 1) == 1)
        sem_post(&idle);
}

static bool enter(void)
{
#ifdef FIXED
    atomic_fetch_add(&pending, 1);
    if (atomic_load(&stopping)) {
        leave();
        return false;
    }
#else
    if (atomic_load(&stopping))
        return false;
    atomic_fetch_add(&pending, 1);
#endif
    return true;
}

static void *add(void *arg)
{
    if (enter()) {
        assert(!atomic_load(&stopped));
        leave();
    }
    return arg;
}

static void *stop(void *arg)
{
    atomic_store(&stopping, true);
    leave();
    sem_wait(&idle);
    atomic_store(&stopped, true);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    sem_init(&idle, 0, 0);
    pthread_create(&threads[0], NULL, add, NULL);
    pthread_create(&threads[1], NULL, stop, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
