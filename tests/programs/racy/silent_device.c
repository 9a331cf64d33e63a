/*
 * claim: who writes to /dev/null and reads /dev/zero or /dev/urandom has been told nothing: that is no order
 * build: -O0
 * build: -O2
 * run: x 20
 * run: --budget=max x 3
 * predict: hb
 * expect: data-race on total at EARLY and LATE [write write]
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static long total;
static char got[8];

static void *early(void *arg)
{
    total = 1; /* race: EARLY */
    return arg;
}

static void *late(void *arg)
{
    int zero = open("/dev/zero", O_RDONLY), random = open("/dev/urandom", O_RDONLY);

    usleep(10000);
    if (read(zero, got, sizeof(got)) != sizeof(got) || read(random, got, sizeof(got)) != sizeof(got))
        return arg;
    total = 2; /* race: LATE */
    return arg;
}

int main(void)
{
    FILE *nowhere = fopen("/dev/null", "w");
    pthread_t threads[2];

    if (!nowhere)
        return 1;
    pthread_create(&threads[0], NULL, early, NULL);
    pthread_create(&threads[1], NULL, late, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    fprintf(nowhere, "%ld\n", total);
    return total == 0;
}
