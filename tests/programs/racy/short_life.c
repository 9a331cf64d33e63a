/*
 * claim: the race of a program that lives for 5 ms is reported in every plain run
 * build: -O0
 * build: -O2
 * run: x 20
 * run: --budget=max x 5
 * expect: data-race on hits at HIT and HIT
 */
#include <pthread.h>
#include <time.h>

static long hits;

static long milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void *work(void *arg)
{
    long end = milliseconds() + 5;
    do
        hits++; /* race: HIT */
    while (milliseconds() < end);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return hits == 0;
}
