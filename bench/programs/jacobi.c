/*
 * Numeric kernel with barriers: Jacobi iteration for the heat equation on a square grid.
 *
 * Two threads, each owning a band of rows; a barrier after each sweep, since the next sweep reads
 * the neighbour's border rows. Tight loops over doubles that the compiler vectorises: the worst
 * case for anything that costs per access.
 */
#include "bench.h"

#include <string.h>

enum { THREADS = 2, SIDE = 770 };

struct partial {
    _Alignas(64) double residual; /* one cache line each: false sharing is not what we measure */
};

static double *grid[2];
static size_t sweeps;
static struct partial partial[THREADS];
static pthread_barrier_t sweep_done;

static double relax_row(double *restrict to, const double *restrict from)
{
    double residual = 0;

    for (size_t x = 1; x < SIDE - 1; x++) {
        double value = 0.25 * (from[x - 1] + from[x + 1] + from[x - SIDE] + from[x + SIDE]);
        double change = value - from[x];
        residual += change * change;
        to[x] = value;
    }
    return residual;
}

static void *relax_band(void *arg)
{
    size_t self = (uintptr_t)arg;
    size_t rows = (SIDE - 2) / THREADS;
    size_t first = 1 + self * rows;
    size_t last = self == THREADS - 1 ? SIDE - 1 : first + rows;

    for (size_t sweep = 0; sweep < sweeps; sweep++) {
        const double *from = grid[sweep % 2];
        double *to = grid[(sweep + 1) % 2];
        double residual = 0;
        for (size_t y = first; y < last; y++)
            residual += relax_row(to + y * SIDE, from + y * SIDE);
        partial[self].residual = residual;
        pthread_barrier_wait(&sweep_done);
    }
    return NULL;
}

static uint64_t checksum(const double *cells)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) {
        uint64_t bits;
        memcpy(&bits, &cells[i], sizeof bits);
        sum = bench_mix(sum ^ bits);
    }
    for (size_t i = 0; i < THREADS; i++)
        sum += partial[i].residual > 0;
    return sum;
}

int main(int argc, char **argv)
{
    sweeps = bench_scaled(argc, argv, 1200);
    for (size_t i = 0; i < 2; i++) {
        grid[i] = bench_alloc((size_t)SIDE * SIDE * sizeof(double));
        for (size_t x = 0; x < SIDE; x++)
            grid[i][x] = (double)(x % 17);
    }
    pthread_barrier_init(&sweep_done, NULL, THREADS);
    bench_threads(THREADS, relax_band);
    bench_print(checksum(grid[sweeps % 2]));
    return 0;
}
