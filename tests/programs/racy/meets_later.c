/*
 * claim: a race that was predicted and reported becomes observed when the two threads meet later in the run
 * build: -O1
 * run: x 3
 * run: --report=observed x 3
 * expect: data-race on total at ADD and ADD [write write] with certainty=observed
 * timeout: 60
 */
#include <pthread.h>
#include <unistd.h>

enum { APART_US = 20000, UNTIL_REPORTED_US = 700000, ROUNDS = 1000, ADDS = 2000 };

static long total;

__attribute__((noinline)) static void add(long amount)
{
    total += amount; /* race: ADD */
}

/* Once each, with a pause in between; then, when that has been reported, both all the time. */
static void *work(void *pause)
{
    usleep(*(useconds_t *)pause);
    add(1);
    usleep(UNTIL_REPORTED_US);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < ADDS; i++)
            add(i);
        usleep(100);
    }
    return NULL;
}

int main(void)
{
    useconds_t pauses[2] = {0, APART_US};
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &pauses[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
