/*
 * claim: a ticket lock: who waits cannot go on before all that were there earlier
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

static atomic_uint next_ticket, serving;
static int counter;

static void lock(void)
{
    unsigned mine = atomic_fetch_add(&next_ticket, 1);
    while (atomic_load(&serving) != mine)
        PAUSE();
}

static void *count(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        lock();
        counter++;
        atomic_fetch_add(&serving, 1);
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
