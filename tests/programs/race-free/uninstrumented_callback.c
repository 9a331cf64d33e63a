/*
 * claim: callbacks of a library that was not recompiled and locks by itself are never reported
 * tsan: no
 * plain: plain_callback.c
 * build: -O0
 * build: -O2
 * run: x 10
 * run: --budget=max x 10
 * predict: hb x 2
 * expect: none
 */
#include <pthread.h>

enum { ROUNDS = 300, THREADS = 2 };

void plain_call(void (*callback)(void *), void *argument);
int plain_start(void (*callback)(void *), void *argument, int count);
void plain_await(void);

struct totals {
    long counter, squares;
};

static void add(struct totals *totals)
{
    totals->squares += totals->counter * totals->counter;
    totals->counter++;
}

static void count(void *argument)
{
    add(argument);
}

static void *work(void *arg)
{
    for (int i = 0; i < ROUNDS; i++)
        plain_call(count, arg);
    return NULL;
}

int main(void)
{
    struct totals totals = {0, 0};
    pthread_t threads[THREADS];
    if (plain_start(count, &totals, ROUNDS) != 0) /* in a thread of the library */
        return 2;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, &totals);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    plain_await();
    long n = (THREADS + 1) * ROUNDS;
    return totals.counter != n || totals.squares != (n - 1) * n * (2 * n - 1) / 6;
}
