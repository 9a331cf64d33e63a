/*
 * claim: data behind a test-and-set lock is ordered, also if it is given back by a volatile store, under another name
 * tsan: racy
 * build: -O0
 * build: -O2
 * run: x 10
 * run: --budget=max x 10
 * expect: none
 * allow: data-race on *lock or *taken
 * never: counter
 * never: squares
 */
#include <pthread.h>
#include <sched.h>

enum { ROUNDS = 500, THREADS = 3 };

static volatile int word;
static long counter, squares;

static void take(volatile int *lock)
{
    while (__sync_lock_test_and_set(lock, 1))
        sched_yield();
}

static void give_back(volatile int *taken)
{
    *taken = 0;
}

static void *work(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        take(&word);
        squares += counter * counter;
        counter++;
        give_back(&word);
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
    long n = THREADS * ROUNDS;
    return counter != n || squares != (n - 1) * n * (2 * n - 1) / 6;
}
