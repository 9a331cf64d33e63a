/*
 * claim: what a thread does once is not forgotten for what threads do very often meanwhile
 * build: -O0
 * build: -O2
 * run: --budget=max x 10
 * expect: data-race on total.first at EARLY and LATE [write write]
 */
#include <pthread.h>

#include "../unseen.h"

/* Eight times as many lines of memory as darn has places for, each where `total` has its place, too. */
enum { LINE = 64, LINES = 8 << 15 };

struct line {
    _Alignas(LINE) long first;
};

static struct line total, memory[2][LINES];

static void sweep(struct line *lines)
{
    for (int i = 0; i < LINES; i++)
        lines[i].first = i;
}

static void *early(void *arg)
{
    total.first = 1; /* race: EARLY */
    sweep(memory[0]);
    unseen_tell();
    return arg;
}

static void *late(void *arg)
{
    unseen_wait();
    sweep(memory[1]);
    total.first = 2; /* race: LATE */
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, early, NULL);
    pthread_create(&threads[1], NULL, late, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return total.first == memory[0][0].first + memory[1][1].first;
}
