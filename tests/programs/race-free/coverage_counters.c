/*
 * claim: what the compiler counts for coverage and profiles is no variable of the program
 * build: -O1 --coverage
 * build: -O0 -fprofile-instr-generate
 * build: -O2 -fprofile-instr-generate -fcoverage-mapping
 * build: -O1 -fprofile-generate
 * run: --budget=max --noise=random:50/30 x 8
 * run: x 4
 * predict: hb
 * expect: none
 */
#include <pthread.h>

enum { ROUNDS = 2000, THREADS = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long odd, even;

static __attribute__((noinline)) int rest(int i)
{
    return i & 1;
}

/* The counters of both branches become one access: to the one or the other. */
static __attribute__((noinline)) long *counter_of(int i)
{
    if (rest(i) == 1)
        return &odd;
    return &even;
}

/* Outside of the lock only the counters of the branches are shared. */
static void *work(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        long *counted = counter_of(i);

        if (i % 16)
            continue;
        pthread_mutex_lock(&lock);
        ++*counted;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return odd + even != THREADS * ROUNDS / 16;
}
