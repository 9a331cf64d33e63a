/*
 * claim: two accesses that are 10 ms or 500 ms apart, with nothing that orders them, are reported in every plain run
 * build: -O0 -DAPART=10000
 * build: -O2 -DAPART=10000
 * build: -O2 -DAPART=500000 -DENDS
 * run: x 20
 * run: --budget=max x 3
 * expect: data-race on total at EARLY and LATE [write write]
 */
#include <pthread.h>
#include <unistd.h>

static long total;

static void *early(void *arg)
{
    total = 1; /* race: EARLY */
#ifdef ENDS
    usleep(1000); /* long gone when the other comes */
#else
    usleep(3 * APART);
#endif
    return arg;
}

static void *late(void *arg)
{
    usleep(APART);
    total = 2; /* race: LATE */
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, early, NULL);
    pthread_create(&threads[1], NULL, late, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return total == 0;
}
