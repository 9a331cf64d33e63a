/*
 * Numeric kernel with barriers: repeated blocked matrix multiplication, C = A * B, then A = C / 2.
 *
 * Three threads, each owning a band of rows of A and C; barriers keep the phases apart. The blocks
 * stay in the first-level cache, so that instructions per access are all that counts.
 */
#include "bench.h"

#include <string.h>

enum { THREADS = 3, SIDE = 384, BLOCK = 48 };

static double a[SIDE][SIDE], b[SIDE][SIDE], c[SIDE][SIDE];
static size_t rounds;
static pthread_barrier_t phase_done;

static void multiply_block(size_t row, size_t inner, size_t column)
{
    for (size_t i = row; i < row + BLOCK; i++) {
        for (size_t k = inner; k < inner + BLOCK; k++) {
            double factor = a[i][k];
            for (size_t j = column; j < column + BLOCK; j++)
                c[i][j] += factor * b[k][j];
        }
    }
}

static void multiply_rows(size_t row)
{
    memset(c[row], 0, BLOCK * sizeof c[row]);
    for (size_t inner = 0; inner < SIDE; inner += BLOCK) {
        for (size_t column = 0; column < SIDE; column += BLOCK)
            multiply_block(row, inner, column);
    }
}

static void halve_rows(size_t row)
{
    for (size_t i = row; i < row + BLOCK; i++) {
        for (size_t j = 0; j < SIDE; j++)
            a[i][j] = c[i][j] * 0.5;
    }
}

static void *band(void *arg)
{
    size_t self = (uintptr_t)arg;

    for (size_t round = 0; round < rounds; round++) {
        for (size_t row = self * BLOCK; row < SIDE; row += THREADS * BLOCK)
            multiply_rows(row);
        pthread_barrier_wait(&phase_done);
        for (size_t row = self * BLOCK; row < SIDE; row += THREADS * BLOCK)
            halve_rows(row);
        pthread_barrier_wait(&phase_done);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    uint64_t sum = 0, seed = 1;

    rounds = bench_scaled(argc, argv, 80);
    for (size_t i = 0; i < SIDE; i++) {
        for (size_t j = 0; j < SIDE; j++) {
            a[i][j] = (double)(bench_random(&seed) % 1000) / SIDE;
            b[i][j] = (double)(bench_random(&seed) % 1000) / 250 / SIDE;
        }
    }
    pthread_barrier_init(&phase_done, NULL, THREADS);
    bench_threads(THREADS, band);
    for (size_t i = 0; i < SIDE; i++) {
        for (size_t j = 0; j < SIDE; j++) {
            uint64_t bits;
            memcpy(&bits, &c[i][j], sizeof bits);
            sum = bench_mix(sum ^ bits);
        }
    }
    bench_print(sum);
    return 0;
}
