/*
 * claim: an access outside of the critical section that the others are in is reported
 * tsan: no
 * build: -O0 -fopenmp
 * build: -O2 -fopenmp
 * run: x 20
 * run: --budget=max x 20
 * env: OMP_NUM_THREADS=2
 * expect: data-race on count at INSIDE and OUTSIDE
 */
#include <omp.h>

static int count;
static int seen[2];

int main(void)
{
#pragma omp parallel
    for (int i = 0; i < 50; i++) {
        int me = omp_get_thread_num();
        if (me == 0) {
#pragma omp critical
            count++; /* race: INSIDE */
        } else {
            seen[me] = count; /* race: OUTSIDE */
        }
    }
    return seen[1] < 0;
}
