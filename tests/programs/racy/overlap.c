/*
 * claim: accesses of different sizes that overlap in one byte are reported
 * build: -O0
 * build: -O2
 * run: --noise=site:@NARROW:1000/2000 --noise=site:@STRAIGHT:1000/2000 x 20
 * expect: data-race on * at WIDE and NARROW
 * expect: data-race on * at CROOKED and STRAIGHT
 */
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 10 };

static pthread_barrier_t start;
static union {
    uint64_t word;
    uint8_t bytes[8];
} both;
static struct {
    uint32_t pad[15];
    uint8_t tail[3];
    uint32_t crooked; /* crosses a cache line */
} __attribute__((packed, aligned(64))) packed;

/* Once the other thread stands before its access. */
static void meet(void)
{
    pthread_barrier_wait(&start);
    usleep(300);
}

static void *wide(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        meet();
        both.word = (uint64_t)i; /* race: WIDE */
        meet();
        packed.crooked = (uint32_t)i; /* race: CROOKED */
    }
    return arg;
}

static void *narrow(void *arg)
{
    uint8_t *last = (uint8_t *)&packed + 66;
    long sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&start);
        sum += both.bytes[7]; /* race: NARROW */
        pthread_barrier_wait(&start);
        *last = (uint8_t)i; /* race: STRAIGHT */
    }
    return sum ? arg : NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&start, NULL, 2);
    pthread_create(&threads[0], NULL, wide, NULL);
    pthread_create(&threads[1], NULL, narrow, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return packed.crooked == 0x12345678; /* or the stores would be dead */
}
