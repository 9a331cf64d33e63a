/*
 * Memory-bandwidth bound: copy, scale, add and triad over arrays larger than the caches.
 *
 * Two threads, each with one half of the arrays, and a barrier after each pass over all four
 * kernels.
 */
#include "bench.h"

#include <string.h>

enum { THREADS = 2, LENGTH = 4 << 20 };

static double *a, *b, *c;
static size_t passes;
static pthread_barrier_t pass_done;

static void copy(double *restrict to, const double *restrict from, size_t length)
{
    for (size_t i = 0; i < length; i++)
        to[i] = from[i];
}

static void scale(double *restrict to, const double *restrict from, size_t length)
{
    for (size_t i = 0; i < length; i++)
        to[i] = 0.5 * from[i];
}

static void add(double *restrict to, const double *restrict x, const double *restrict y,
                size_t length)
{
    for (size_t i = 0; i < length; i++)
        to[i] = x[i] + y[i];
}

static void triad(double *restrict to, const double *restrict x, const double *restrict y,
                  size_t length)
{
    for (size_t i = 0; i < length; i++)
        to[i] = 0.25 * (x[i] + 0.75 * y[i]);
}

static void *work(void *arg)
{
    size_t length = LENGTH / THREADS;
    size_t start = (uintptr_t)arg * length;

    for (size_t pass = 0; pass < passes; pass++) {
        copy(c + start, a + start, length);
        scale(b + start, c + start, length);
        add(c + start, a + start, b + start, length);
        triad(a + start, b + start, c + start, length);
        pthread_barrier_wait(&pass_done);
    }
    return NULL;
}

static double *array(uint64_t seed)
{
    double *values = bench_alloc(LENGTH * sizeof *values);
    for (size_t i = 0; i < LENGTH; i++)
        values[i] = (double)((i * seed) % 1021);
    return values;
}

int main(int argc, char **argv)
{
    uint64_t sum = 0;

    passes = bench_scaled(argc, argv, 42);
    a = array(3);
    b = array(5);
    c = array(7);
    pthread_barrier_init(&pass_done, NULL, THREADS);
    bench_threads(THREADS, work);
    for (size_t i = 0; i < LENGTH; i += 61) {
        uint64_t bits;
        memcpy(&bits, &a[i], sizeof bits);
        sum = bench_mix(sum ^ bits);
    }
    bench_print(sum);
    return 0;
}
