/*
 * In the manner of SPLASH-2's OCEAN: red-black relaxation, with a barrier and a lock made by hand.
 *
 * Two threads, each owning a band of rows. The red points are relaxed, then the black ones, with a
 * barrier after each; the residual of all is put together under a lock, and a barrier later it
 * decides whether the damping changes.
 *
 * spin: BARRIER_WAIT from BARRIER_TURN
 * spin: LOCK_WAIT from LOCK_GIVE
 */
#include "bench.h"
#include "byhand.h"

enum { THREADS = 2, SIDE = 514 };

/* Fixed point: sums do not depend on who adds first. */
static int64_t *grid;
static int64_t residual, damping = 4;
static size_t sweeps;
static struct hand_barrier barrier = {.threads = THREADS, .missing = THREADS};
static struct hand_lock lock;

static int64_t relax(size_t y, size_t colour)
{
    int64_t changed = 0, *row = grid + y * SIDE, by = damping;

    for (size_t x = 1 + (y + colour) % 2; x < SIDE - 1; x += 2) {
        int64_t mean = (row[x - 1] + row[x + 1] + row[x - SIDE] + row[x + SIDE]) / 4;
        int64_t change = (mean - row[x]) * by / 4;
        row[x] += change;
        changed += change < 0 ? -change : change;
    }
    return changed;
}

static void *relax_band(void *arg)
{
    size_t self = (uintptr_t)arg, rows = (SIDE - 2) / THREADS, first = 1 + self * rows;
    int sense = 0;

    for (size_t sweep = 0; sweep < sweeps; sweep++) {
        int64_t changed = 0;
        for (size_t colour = 0; colour < 2; colour++) {
            for (size_t y = first; y < first + rows; y++)
                changed += relax(y, colour);
            hand_barrier(&barrier, &sense);
        }
        hand_lock(&lock);
        residual += changed;
        hand_unlock(&lock);
        hand_barrier(&barrier, &sense);
        if (self == 0) {
            damping = 3 + residual % 3;
            residual = 0;
        }
        hand_barrier(&barrier, &sense);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    uint64_t sum = 0;

    sweeps = bench_scaled(argc, argv, 1500);
    grid = bench_alloc(sizeof(int64_t) * SIDE * SIDE);
    for (size_t x = 0; x < SIDE; x++)
        grid[x] = (int64_t)(x % 17) << 32;
    bench_threads(THREADS, relax_band);
    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++)
        sum = bench_mix(sum ^ (uint64_t)grid[i]);
    bench_print(sum);
    return 0;
}
