/*
 * claim: elements that a loop would touch, but leaves out, are never reported
 * build: -O0
 * build: -O1
 * build: -O2
 * build: -O3
 * build: -O3 -march=native
 * run: --budget=max --noise=random:50/30 x 6
 * run: x 3
 * predict: hb
 * expect: none
 */
#include <pthread.h>
#include <stdbool.h>

enum { CELLS = 64, ROUNDS = 60, END = 20 };

static int list[CELLS], target[CELLS];
static bool skip[CELLS]; /* read-only once the threads run */
static int never_written;

/* Stops at the sentinel: the rest of the list belongs to the other thread. */
static long sum_until_sentinel(void)
{
    long sum = 0;
    for (int i = 0; i < CELLS && list[i] >= 0; i++)
        sum += list[i];
    return sum;
}

static void store_some(int value)
{
    for (int i = 0; i < CELLS; i++)
        if (!skip[i])
            target[i] = value;
}

/* A store that the loop never reaches must not be counted as one. */
static void rarely(int n)
{
    for (int i = 0; i < n; i++)
        never_written = i;
}

static void *work(void *arg)
{
    long wrong = 0;
    for (int i = 0; i < ROUNDS; i++) {
        wrong += sum_until_sentinel() != END * (END - 1) / 2;
        store_some(i);
        rarely((long)arg == 1 ? 0 : -1);
    }
    return (void *)wrong;
}

int main(void)
{
    pthread_t thread;
    void *wrong;
    int seen = 0;
    for (int i = 0; i < CELLS; i++) {
        list[i] = i < END ? i : -1;
        skip[i] = i % 5 == 2;
    }
    pthread_create(&thread, NULL, work, &never_written);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = END + 1; i < CELLS; i++)
            list[i]++;
        for (int i = 2; i < CELLS; i += 5)
            target[i] = -round;
        seen += never_written;
    }
    pthread_join(thread, &wrong);
    return wrong != NULL || seen != 0 || target[2] != 1 - ROUNDS || target[3] != ROUNDS - 1;
}
