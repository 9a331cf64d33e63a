/*
 * What the benchmark programs share.
 *
 * Every program takes one argument, the size of its work in percent (default 100), starts two to
 * four threads, and prints one checksum that does not depend on the schedule: builds can be
 * compared by their output, and the compiler can leave nothing out. All of them are race-free.
 */
#ifndef DARN_BENCH_PROGRAMS_BENCH_H
#define DARN_BENCH_PROGRAMS_BENCH_H

#include <inttypes.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The full amount of work, scaled to the percentage on the command line; at least 1. */
static inline size_t bench_scaled(int argc, char **argv, size_t full)
{
    long percent = argc > 1 ? atol(argv[1]) : 100;
    size_t scaled = percent > 0 ? full * (size_t)percent / 100 : full;
    return scaled > 0 ? scaled : 1;
}

/* xorshift64*: small, and the same everywhere. The state must not be 0. */
static inline uint64_t bench_random(uint64_t *state)
{
    uint64_t x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * UINT64_C(2685821657736338717);
}

/* Spreads the bits of a key: also the seed of a generator that belongs to thread or item x. */
static inline uint64_t bench_mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static inline void *bench_alloc(size_t size)
{
    void *block = calloc(1, size);
    if (block == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return block;
}

/* Runs body(0) … body(count - 1), each in its own thread, and waits for all of them. */
static inline void bench_threads(size_t count, void *(*body)(void *))
{
    pthread_t threads[16];

    for (size_t i = 0; i < count; i++) {
        if (pthread_create(&threads[i], NULL, body, (void *)(uintptr_t)i) != 0) {
            fprintf(stderr, "cannot start a thread\n");
            exit(1);
        }
    }
    for (size_t i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

static inline void bench_print(uint64_t checksum)
{
    printf("%016" PRIx64 "\n", checksum);
}

#endif
