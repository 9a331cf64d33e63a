/*
 * claim: OpenMP loops, reductions, critical and atomic sections and barriers are never reported
 * tsan: no
 * build: -O0 -fopenmp
 * build: -O2 -fopenmp
 * run: --budget=max --noise=random:20/20 x 8
 * run: x 4
 * predict: hb x 2
 * env: OMP_NUM_THREADS=3
 * expect: none
 */
#include <omp.h>

enum { CELLS = 600 };

static int squares[CELLS];
static long critical_sum, atomic_sum, ordered_sum, single;
static long rows[2][8];

int main(void)
{
    long reduced = 0;
#pragma omp parallel for
    for (int i = 0; i < CELLS; i++)
        squares[i] = i * i;

#pragma omp parallel for reduction(+ : reduced) schedule(dynamic, 16)
    for (int i = 0; i < CELLS; i++)
        reduced += squares[i];

#pragma omp parallel for
    for (int i = 0; i < CELLS; i++) {
#pragma omp critical
        critical_sum += squares[i];
#pragma omp atomic
        atomic_sum += squares[i];
    }

#pragma omp parallel for ordered
    for (int i = 0; i < 64; i++) {
#pragma omp ordered
        ordered_sum += i;
    }

#pragma omp parallel
    {
        int me = omp_get_thread_num();
        for (int step = 0; step < 40; step++) {
            rows[step % 2][me] = step;
#pragma omp barrier
            if (rows[step % 2][(me + 1) % omp_get_num_threads()] != step) {
#pragma omp atomic
                single += 1000;
            }
        }
#pragma omp single
        single++;
    }
    return reduced != critical_sum || reduced != atomic_sum || ordered_sum != 63 * 32 ||
           single != 1;
}
