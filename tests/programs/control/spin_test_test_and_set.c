/*
 * claim: a lock that spins on a read, and swaps only when it looks free
 * build: -O1
 * build: -O1 -DYIELD
 * ends: exit 0
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#ifdef YIELD
#define PAUSE() sched_yield()
#else
#define PAUSE() ((void)0)
#endif

enum { THREADS = 3, ROUNDS = 2 };

static atomic_int taken;
static int counter;

static void lock(void)
{
    do {
        while (atomic_load(&taken))
            PAUSE();
    } while (atomic_exchange(&taken, 1));
}

static void *count(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        lock();
        counter++;
        atomic_store(&taken, 0);
    }
    return arg;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, count, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return counter != THREADS * ROUNDS;
}
