/*
 * claim: each of an array of flags orders its own part of the data
 * build: -O0 -DVAR=
 * build: -O0 -DVAR=volatile
 * build: -O0 -DVAR=_Atomic
 * build: -O2 -DVAR=
 * build: -O2 -DVAR=volatile
 * build: -O2 -DVAR=_Atomic
 * predict: hb
 * expect: none
 * spin: WAIT from SET
 * tsan: racy without _Atomic
 */
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
#include "order.h"

enum { PRODUCERS = 2, CHUNKS = 16, WIDTH = 8 };

struct chunk {
    long cells[WIDTH];
    int filled;
};

static VAR char ready[CHUNKS]; /* neighbours in one cache line, and in one word */
static struct chunk chunks[CHUNKS];
static long sums[2];

static void *producer(void *arg)
{
    long self = (long)arg;
    for (int c = self; c < CHUNKS; c += PRODUCERS) {
        usleep(200);
        for (int i = 0; i < WIDTH; i++)
            chunks[c].cells[i] = c;
        chunks[c].filled = WIDTH;
        ORDER();
        ready[c] = 1; /* spin: SET */
    }
    return NULL;
}

static void *consumer(void *arg)
{
    long *sum = arg;
    for (int c = 0; c < CHUNKS; c++) {
        while (!ready[c]) { /* spin: WAIT */
            sched_yield();
            ORDER();
        }
        ORDER();
        for (int i = 0; i < chunks[c].filled; i++)
            *sum += chunks[c].cells[i];
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[PRODUCERS + 2];
    for (long i = 0; i < PRODUCERS; i++)
        pthread_create(&threads[i], NULL, producer, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[PRODUCERS + i], NULL, consumer, &sums[i]);
    for (int i = 0; i < PRODUCERS + 2; i++)
        pthread_join(threads[i], NULL);
    return sums[0] != WIDTH * CHUNKS * (CHUNKS - 1) / 2 || sums[1] != sums[0];
}
