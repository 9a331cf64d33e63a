/*
 * claim: what threads do once, right after they begin, is reported in a plain run, also when the program has been busy for long
 * build: -O0
 * build: -O2
 * run: x 5
 * expect: data-race on counter at ONCE and ONCE
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

static _Atomic int done;
static long counter, numbers[1024];

static long used(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void *work(void *arg)
{
    while (!done) {
        for (int i = 0; i < 1024; i++)
            numbers[i] += i;
    }
    return arg;
}

static void *once(void *arg)
{
    counter++; /* race: ONCE */
    return arg;
}

/* On a busy machine the second may begin long after the first: then they are not seen together. */
enum { PAIRS = 16 };

int main(void)
{
    pthread_t worker, threads[2];

    pthread_create(&worker, NULL, work, NULL);
    while (used() < 200) /* all of the first 100 ms is seen */
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    for (int pair = 0; pair < PAIRS; pair++) {
        for (int i = 0; i < 2; i++)
            pthread_create(&threads[i], NULL, once, NULL);
        for (int i = 0; i < 2; i++)
            pthread_join(threads[i], NULL);
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    }
    done = 1;
    pthread_join(worker, NULL);
    return 0;
}
