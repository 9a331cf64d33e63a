/*
 * claim: two tasks that nobody has waited for between them are reported
 * tsan: no
 * build: -O0 -fopenmp
 * build: -O2 -fopenmp
 * run: x 20
 * run: --budget=max x 20
 * env: OMP_NUM_THREADS=2
 * expect: data-race on shared at FIRST and SECOND
 */
#include <omp.h>
#include <unistd.h>

static int shared;
static volatile int by[2];

/* The sleep keeps the thread busy: the other task is done by the other thread. */
int main(void)
{
    for (int tries = 0; tries < 100; tries++) {
#pragma omp parallel
#pragma omp single
        {
#pragma omp task
            {
                shared = 1; /* race: FIRST */
                by[0] = omp_get_thread_num();
                usleep(2000);
            }
#pragma omp task
            {
                usleep(1000);
                shared = 2; /* race: SECOND */
                by[1] = omp_get_thread_num();
            }
        }
        if (by[0] != by[1])
            break;
    }
    return shared < 1;
}
