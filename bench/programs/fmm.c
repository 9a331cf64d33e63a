/*
 * In the manner of SPLASH-2's FMM: particles, and a pyramid of cells whose parents wait for flags.
 *
 * Two threads. In each step the particles are put into cells behind ticket locks; every cell of the
 * pyramid is summed up when the flags of its children say that they are done, which they mostly are
 * by then; then the particles are moved by what the pyramid says. Barriers stand between the steps.
 *
 * spin: BARRIER_WAIT from BARRIER_TURN
 * spin: TICKET_WAIT from TICKET_NEXT
 * spin: CHILD from READY
 */
#include "bench.h"
#include "byhand.h"

enum { THREADS = 2, LEVELS = 10, LEAVES = 1 << LEVELS, PARTICLES = 20000, STRIPES = 32 };

struct cell {
    int64_t mass, moment;
    VAR size_t ready; /* the step that it is summed up for */
};

struct particle {
    int64_t position, speed;
};

static struct cell cells[2 * LEAVES]; /* 1 is the root; n has the children 2n and 2n + 1 */
static struct particle particles[PARTICLES];
static struct hand_ticket stripes[STRIPES];
static struct hand_barrier barrier = {.threads = THREADS, .missing = THREADS};
static size_t steps;

/* The part of `count` things that a thread owns begins here. */
static size_t part(size_t self, size_t count)
{
    return self * count / THREADS;
}

static size_t leaf_of(const struct particle *particle)
{
    return LEAVES + (size_t)(particle->position & (LEAVES * 1024 - 1)) / 1024;
}

static void deposit(size_t self)
{
    for (size_t i = part(self, PARTICLES); i < part(self + 1, PARTICLES); i++) {
        size_t leaf = leaf_of(&particles[i]);
        struct hand_ticket *stripe = &stripes[leaf % STRIPES];
        hand_ticket_lock(stripe);
        cells[leaf].mass++;
        cells[leaf].moment += particles[i].position & 1023;
        hand_ticket_unlock(stripe);
    }
}

static const struct cell *await(const struct cell *child, size_t step)
{
    while (child->ready != step) /* spin: CHILD */
        hand_wait();
    ORDER();
    return child;
}

/* From the leaves to the root; the cells of a level are dealt out in turn, so that half of the
 * children are the other thread's. */
static void sum_up(size_t self, size_t step)
{
    for (size_t level = LEVELS; level-- > 0;) {
        for (size_t n = ((size_t)1 << level) + self; n < (size_t)2 << level; n += THREADS) {
            struct cell *cell = &cells[n];
            cell->mass = cell->moment = 0;
            for (size_t child = 2 * n; child < 2 * n + 2; child++) {
                const struct cell *from =
                    level + 1 < LEVELS ? await(&cells[child], step) : &cells[child];
                cell->mass += from->mass;
                cell->moment += from->moment / 2 + (int64_t)(child & 1) * from->mass;
            }
            ORDER();
            cell->ready = step; /* spin: READY */
        }
    }
}

/* A particle is pulled to the heavier side on each level. */
static void move(size_t self)
{
    for (size_t i = part(self, PARTICLES); i < part(self + 1, PARTICLES); i++) {
        int64_t pull = 0;
        for (size_t n = leaf_of(&particles[i]); n > 1; n /= 2)
            pull +=
                (cells[n ^ 1].mass - cells[n].mass) * (n & 1 ? -1 : 1) + (cells[n ^ 1].moment >> 8);
        particles[i].speed = (particles[i].speed + pull) / 2;
        particles[i].position += particles[i].speed;
    }
}

static void *simulate(void *arg)
{
    size_t self = (uintptr_t)arg;
    int sense = 0;

    for (size_t step = 1; step <= steps; step++) {
        for (size_t leaf = LEAVES + self; leaf < 2 * LEAVES; leaf += THREADS)
            cells[leaf].mass = cells[leaf].moment = 0;
        hand_barrier(&barrier, &sense);
        deposit(self);
        hand_barrier(&barrier, &sense);
        sum_up(self, step);
        hand_barrier(&barrier, &sense);
        move(self);
        hand_barrier(&barrier, &sense);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    uint64_t sum = 0;

    steps = bench_scaled(argc, argv, 1000);
    for (size_t i = 0; i < PARTICLES; i++)
        particles[i].position = (int64_t)(bench_mix(i) % ((uint64_t)LEAVES * 1024));
    bench_threads(THREADS, simulate);
    for (size_t i = 0; i < PARTICLES; i++)
        sum = bench_mix(sum ^ (uint64_t)particles[i].position);
    bench_print(sum);
    return 0;
}
