/*
 * claim: a lock that spins on test-and-set: its holder goes on
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

static atomic_flag flag = ATOMIC_FLAG_INIT;
static int counter;

static void *count(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        while (atomic_flag_test_and_set(&flag))
            PAUSE();
        counter++;
        atomic_flag_clear(&flag);
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
