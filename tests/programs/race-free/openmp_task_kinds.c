/*
 * claim: tasks of all kinds are never reported: groups, loops, untied and undeferred ones,
 *        dependences that are waited for, reductions over tasks, tasks that others complete
 * tsan: no
 * build: -O0 -fopenmp
 * build: -O2 -fopenmp
 * run: --budget=max x 6
 * run: --budget=max --noise=random:20/20 x 4
 * run: x 6
 * predict: hb x 2
 * env: OMP_NUM_THREADS=4
 * expect: none
 */
#include <omp.h>

enum { CELLS = 64, ROUNDS = 10 };

static int cells[CELLS], sums[4], chain, side;
static long total, wrong;

static void group(void)
{
#pragma omp taskgroup
    for (int i = 0; i < CELLS; i++) {
#pragma omp task firstprivate(i)
        {
#pragma omp task firstprivate(i)
            cells[i] = i;
        }
    }
    for (int i = 0; i < CELLS; i++)
        wrong += cells[i] != i;
}

static void loops(void)
{
    int last = 0;

#pragma omp taskloop grainsize(3) lastprivate(last) firstprivate(wrong)
    for (int i = 0; i < CELLS; i++) {
        cells[i] = -i;
        last = i;
    }
    wrong += last != CELLS - 1;
    for (int i = 0; i < CELLS; i++)
        wrong += cells[i] != -i;
}

static void untied(void)
{
#pragma omp task untied
    {
        sums[0] = 1;
#pragma omp taskyield
        sums[0]++;
#pragma omp task shared(sums)
        sums[1] = 5;
#pragma omp taskwait
        sums[0] += sums[1];
    }
#pragma omp taskwait
    wrong += sums[0] != 7;
}

static void dependent(void)
{
    for (int i = 0; i < 8; i++) {
#pragma omp task depend(out : chain) firstprivate(i)
        chain = i;
#pragma omp task depend(in : chain) depend(out : side)
        side = chain;
#pragma omp task depend(mutexinoutset : sums[2])
        sums[2]++;
#pragma omp task if (0) depend(in : side)
        wrong += side != i;
#pragma omp taskwait depend(in : sums[2])
    }
#pragma omp taskwait
    wrong += chain != 7 || sums[2] != 8;
    sums[2] = 0;
}

static void reduced(void)
{
    long sum = 0;

#pragma omp taskgroup task_reduction(+ : sum)
    for (int i = 0; i < CELLS; i++) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
        sum += i;
    }
    total = sum;
    wrong += total != CELLS * (CELLS - 1) / 2;
}

static void detached(void)
{
    omp_event_handle_t event = (omp_event_handle_t)0;

#pragma omp task detach(event)
    sums[3] = 1;
#pragma omp task firstprivate(event)
    {
        side = -1;
        omp_fulfill_event(event);
    }
#pragma omp taskwait
    wrong += sums[3] != 1 || side != -1;
}

int main(void)
{
    for (int i = 0; i < ROUNDS; i++) {
#pragma omp parallel
#pragma omp single
        {
            group();
            loops();
            untied();
            dependent();
            reduced();
            detached();
        }
#pragma omp parallel
#pragma omp masked
        for (int cell = 0; cell < CELLS; cell++) { /* done by whoever is at the end of the region */
#pragma omp task firstprivate(cell)
            cells[cell] = i;
        }
        for (int cell = 0; cell < CELLS; cell++)
            wrong += cells[cell] != i;
    }
    return wrong != 0;
}
