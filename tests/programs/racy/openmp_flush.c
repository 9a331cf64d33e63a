/*
 * claim: a flush orders what was done before it, and not what comes after it, whatever else follows that nobody sees through
 * tsan: no
 * build: -O0 -fopenmp
 * build: -O2 -fopenmp
 * run: x 20
 * env: OMP_NUM_THREADS=2
 * expect: data-race on later
 * never: before
 */
#include <omp.h>
#include "../unseen.h"

static int before, later, sum;

int main(void)
{
#pragma omp parallel
    {
        if (omp_get_thread_num()) {
            before = 1;
#pragma omp flush
            later = 1;
            __asm__ volatile("" ::: "memory"); /* it may tell others something, but not by a flush */
            unseen_tell();
        } else {
            unseen_wait();
#pragma omp flush
            sum = before + later;
        }
    }
    return sum < 1;
}
