/*
 * claim: accesses and races in atexit handlers and destructors work and are reported
 * build: -O1
 * run: --noise=var:late_counter:1000/1000 x 10
 * run: --budget=max --noise=random:1000/1000 x 10
 * exit: 0
 * expect: data-race on late_counter at LATE and LATE
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_barrier_t start;
static long late_counter, steps;

static void *count(void *arg)
{
    for (int i = 0; i < 20; i++) {
        pthread_barrier_wait(&start);
        late_counter++; /* race: LATE */
    }
    return arg;
}

static void in_atexit(void)
{
    pthread_t threads[2];
    steps++;
    pthread_barrier_init(&start, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, count, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

__attribute__((destructor(101))) static void very_late(void)
{
    if (++steps != 2)
        _exit(9);
}

int main(void)
{
    atexit(in_atexit);
    return 0;
}
