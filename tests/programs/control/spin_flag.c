/*
 * claim: a spin on a volatile flag ends in every schedule, also when it never yields
 * build: -O1
 * build: -O1 -DYIELD
 * ends: exit 0
 */
#include <pthread.h>
#include <sched.h>

#ifdef YIELD
#define PAUSE() sched_yield()
#else
#define PAUSE() ((void)0)
#endif

static volatile int ready, seen;
static int data;

static void *produce(void *arg)
{
    data = 42;
    __atomic_thread_fence(__ATOMIC_RELEASE);
    ready = 1;
    while (!seen)
        PAUSE();
    return arg;
}

static void *consume(void *arg)
{
    while (!ready)
        PAUSE();
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    seen = data;
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, consume, NULL);
    pthread_create(&threads[1], NULL, produce, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return seen != 42;
}
