/*
 * claim: OpenMP's ordered and dependent loops, flush, cancellation, its memory, and reductions
 *        whose functions are ours are never reported
 * tsan: no
 * build: -O0 -fopenmp
 * build: -O2 -fopenmp
 * run: --budget=max x 3
 * run: --budget=max --noise=random:20/20 x 2
 * run: x 4
 * predict: hb x 2
 * env: OMP_NUM_THREADS=3
 * env: OMP_CANCELLATION=true
 * env: OMP_WAIT_POLICY=passive
 * expect: none
 */
#include <omp.h>
#include <sched.h>

enum { CELLS = 60 };

struct pair {
    long low, high;
};

static void add(struct pair *to, const struct pair *from)
{
    to->low += from->low;
    to->high += from->high;
}

#pragma omp declare reduction(pairs : struct pair : add(&omp_out, &omp_in))                        \
    initializer(omp_priv = (struct pair){0, 0})

static int cells[CELLS + 1], next_cell, message, found;
static volatile int is_sent;
static long wrong;

static void loops(void)
{
#pragma omp parallel for ordered schedule(dynamic, 2)
    for (int i = 0; i < CELLS; i++) {
        int twice = 2 * i;
#pragma omp ordered
        cells[next_cell++] = twice;
    }
#pragma omp parallel for ordered(1) schedule(static, 1)
    for (int i = 1; i <= CELLS; i++) {
#pragma omp ordered depend(sink : i - 1)
        cells[i] = cells[i - 1] + 1;
#pragma omp ordered depend(source)
    }
    wrong += cells[CELLS] != CELLS + cells[0];
    next_cell = 0;
}

static void reductions(void)
{
    struct pair sum = {0, 0}, team = {0, 0};
    long plain = 0;

#pragma omp parallel
    {
#pragma omp for reduction(pairs : sum) reduction(+ : plain)
        for (int i = 0; i < CELLS; i++) {
            sum.low += i;
            sum.high++;
            plain += i;
        }
        if (sum.high != CELLS || plain != sum.low) {
#pragma omp atomic
            wrong++;
        }
#pragma omp barrier
#pragma omp for reduction(pairs : sum) nowait
        for (int i = 0; i < CELLS; i++)
            sum.high--;
    }
#pragma omp parallel reduction(pairs : team)
    team.high++;
    wrong += sum.high != 0 || team.high < 1;
}

/* As in the examples of the standard. */
static void flush(void)
{
    is_sent = 0;
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) {
        message = 7;
#pragma omp flush
#pragma omp atomic write
        is_sent = 1;
    } else if (omp_get_num_threads() == 2) {
        int sent = 0;
        while (!sent) {
#pragma omp atomic read
            sent = is_sent;
            sched_yield();
        }
#pragma omp flush
        message++;
    }
}

static void cancel(void)
{
    found = 0;
#pragma omp parallel
    {
#pragma omp for schedule(static, 1)
        for (int i = 0; i < CELLS; i++) {
            if (i == CELLS / 2) {
#pragma omp critical
                found = i;
#pragma omp cancel for
            }
#pragma omp cancellation point for
        }
        if (found != CELLS / 2) {
#pragma omp atomic
            wrong++;
        }
    }
}

static void memory(void)
{
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < CELLS; i++) {
        int *block = omp_alloc(4 * sizeof(*block), omp_default_mem_alloc);
        for (int cell = 0; cell < 4; cell++)
            block[cell] = i;
        omp_free(block, omp_default_mem_alloc);
    }
}

int main(void)
{
    for (int i = 0; i < 10; i++) {
        loops();
        reductions();
        flush();
        cancel();
        memory();
    }
    return wrong != 0;
}
