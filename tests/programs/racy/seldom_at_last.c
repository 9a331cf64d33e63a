/*
 * claim: what threads do once is reported in each run, also in the middle of a busy program and long after they began
 * build: -O0
 * build: -O2
 * run: x 5
 * expect: data-race on blocks at EARLY and LATE [write write]
 */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static _Atomic int done;
static long blocks, numbers[2][1024];

static long used(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* Nothing here orders threads. */
static void wait_for(long milliseconds)
{
    while (used() < milliseconds)
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
}

static void *work(void *arg)
{
    long *own = arg;
    while (!atomic_load_explicit(&done, memory_order_relaxed)) {
        for (int i = 0; i < 1024; i++)
            own[i] += i;
    }
    return NULL;
}

static void *early(void *arg)
{
    wait_for(300); /* all of the first 100 ms is seen */
    blocks = 1; /* race: EARLY */
    return arg;
}

static void *late(void *arg)
{
    wait_for(400);
    blocks = 2; /* race: LATE */
    return arg;
}

int main(void)
{
    pthread_t threads[4];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, numbers[i]);
    pthread_create(&threads[2], NULL, early, NULL);
    pthread_create(&threads[3], NULL, late, NULL);
    pthread_join(threads[2], NULL);
    pthread_join(threads[3], NULL);
    done = 1;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return blocks == 0;
}
