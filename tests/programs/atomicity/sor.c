/*
 * claim: what barriers keep apart is atomic, without a lock
 * build: -O1 -fno-inline
 * expect: none
 *
 * After `sor` of von Praun & Gross: successive over-relaxation on a grid like a chessboard. Odd
 * fields are made of even ones, then even ones of odd ones, with a barrier in between. Each worker
 * has some rows; at their edges it reads those of its neighbours.
 */
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS = 3 };

struct grid {
    int size; /* with the border, which stays as it is */
    double *fields;
};

struct worker {
    struct grid *grid;
    int first, end, rounds; /* its rows */
    double change;          /* the largest one of its last sweep */
};

static pthread_barrier_t barrier;

static double *field(struct grid *grid, int row, int column)
{
    return &grid->fields[row * grid->size + column];
}

static double sweep_row(struct grid *grid, int row, int color)
{
    double largest = 0;

    for (int column = 1 + (row + color) % 2; column < grid->size - 1; column += 2) {
        double *here = field(grid, row, column);
        double around =
            here[-1] + here[1] + *field(grid, row - 1, column) + *field(grid, row + 1, column);
        double change = 1.25 * (around / 4 - *here);

        *here += change;
        largest = fmax(largest, fabs(change));
    }
    return largest;
}

void sor_odd(struct worker *worker)
{
    for (int row = worker->first; row < worker->end; row++)
        worker->change = fmax(worker->change, sweep_row(worker->grid, row, 1));
}

void sor_even(struct worker *worker)
{
    for (int row = worker->first; row < worker->end; row++)
        worker->change = fmax(worker->change, sweep_row(worker->grid, row, 0));
}

static void *run_worker(void *arg)
{
    struct worker *worker = arg;

    for (int round = 0; round < worker->rounds; round++) {
        worker->change = 0;
        sor_odd(worker);
        pthread_barrier_wait(&barrier);
        sor_even(worker);
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

static struct grid make_grid(int size)
{
    struct grid grid = {size, calloc((size_t)(size * size), sizeof(double))};
    unsigned seed = 7;

    if (!grid.fields)
        abort();
    for (int i = 0; i < size * size; i++) {
        seed = seed * 1103515245u + 12345u;
        grid.fields[i] = (double)(seed >> 16) / 65536;
    }
    return grid;
}

/* The same by one worker. */
static struct grid relax_alone(int size, int rounds)
{
    struct grid grid = make_grid(size);

    for (int round = 0; round < rounds; round++)
        for (int color = 1; color >= 0; color--)
            for (int row = 1; row < size - 1; row++)
                sweep_row(&grid, row, color);
    return grid;
}

int main(int argc, char **argv)
{
    int size = argc > 1 ? atoi(argv[1]) : 26, rounds = argc > 2 ? atoi(argv[2]) : 10,
        rows = size - 2;
    struct grid grid, expected;
    struct worker workers[WORKERS];
    pthread_t threads[WORKERS];
    double change = 0;
    bool right;

    if (rows < WORKERS || rounds < 1)
        return 2;
    grid = make_grid(size);
    expected = relax_alone(size, rounds);
    pthread_barrier_init(&barrier, NULL, WORKERS);
    for (int i = 0; i < WORKERS; i++) {
        workers[i] =
            (struct worker){&grid, 1 + rows * i / WORKERS, 1 + rows * (i + 1) / WORKERS, rounds, 0};
        pthread_create(&threads[i], NULL, run_worker, &workers[i]);
    }
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(threads[i], NULL);
        change = fmax(change, workers[i].change);
    }
    right = memcmp(grid.fields, expected.fields, sizeof(double) * (size_t)(size * size)) == 0;
    printf("%s, the last change was %.6f\n", right ? "as by one worker" : "wrong", change);
    free(grid.fields);
    free(expected.fields);
    return !right;
}
