/* Threads that begin together, and the little work that they do between two accesses. */
#ifndef HEAL_CROWD_H
#define HEAL_CROWD_H

/* Included first. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { CROWD_MOST = 64 };

static pthread_barrier_t crowd_start;

static inline void crowd_begin(void)
{
    pthread_barrier_wait(&crowd_start);
}

/* The same on a processor that the thread has for itself, if there are enough: on a busy machine threads of a few
 * milliseconds may else run one after the other. */
static inline void crowd_begin_apart(long number)
{
    cpu_set_t ours, mine;
    if (sched_getaffinity(0, sizeof ours, &ours) == 0) {
        long left = number % CPU_COUNT(&ours);
        for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
            if (!CPU_ISSET(cpu, &ours) || left-- > 0)
                continue;
            CPU_ZERO(&mine);
            CPU_SET(cpu, &mine);
            sched_setaffinity(0, sizeof mine, &mine);
            break;
        }
    }
    crowd_begin();
}

/* Each thread gets its number. They call crowd_begin. */
static inline void crowd(int count, void *(*of_each)(void *))
{
    pthread_t threads[CROWD_MOST];
    pthread_barrier_init(&crowd_start, NULL, (unsigned)count);
    for (long i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, of_each, (void *)i))
            abort();
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

/* Two different ones, number 0 and 1. */
static inline void couple(void *(*first)(void *), void *(*second)(void *))
{
    pthread_t threads[2];
    pthread_barrier_init(&crowd_start, NULL, 2);
    if (pthread_create(&threads[0], NULL, first, (void *)0) || pthread_create(&threads[1], NULL, second, (void *)1))
        abort();
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

/* Some computation, without any access to memory that is shared. The value is as it was. */
static inline long ponder(long value, int steps)
{
    unsigned long mixed = (unsigned long)value | 1;
    for (int i = 0; i < steps; i++)
        mixed = (mixed ^ mixed >> 7) * 0x9e3779b97f4a7c15UL;
    return mixed == 42 ? value + 1 : value;
}

/* The same, for its time alone. */
static inline void dawdle(int steps)
{
    volatile long kept = ponder(1, steps);
    (void)kept;
}

#endif
