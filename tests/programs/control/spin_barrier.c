/*
 * claim: a barrier with a sense that changes: whoever is there spins for the last one
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

enum { THREADS = 3, ROUNDS = 3 };

static atomic_int arrived, sense;
static int rounds[THREADS];

static void barrier(int *my_sense)
{
    *my_sense = !*my_sense;
    if (atomic_fetch_add(&arrived, 1) == THREADS - 1) {
        atomic_store(&arrived, 0);
        atomic_store(&sense, *my_sense);
        return;
    }
    while (atomic_load(&sense) != *my_sense)
        PAUSE();
}

static void *work(void *arg)
{
    int me = (int)(long)arg, my_sense = 0, wrong = 0;
    for (int i = 1; i <= ROUNDS; i++) {
        rounds[me] = i;
        barrier(&my_sense);
        for (int j = 0; j < THREADS; j++)
            wrong += rounds[j] != i;
        barrier(&my_sense);
    }
    return wrong != 0 ? &rounds : NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    int wrong = 0;
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        wrong += result != NULL;
    }
    return wrong != 0;
}
