/*
 * claim: what OpenMP's locks, nested locks and named critical sections protect is never reported
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

enum { ROUNDS = 200 };

static omp_lock_t lock;
static omp_nest_lock_t nest;
static long locked, tried, nested, hinted, one, other;
static double wide[3];

static void add_nested(int depth)
{
    omp_set_nest_lock(&nest);
    nested++;
    if (depth)
        add_nested(depth - 1);
    nested++;
    omp_unset_nest_lock(&nest);
}

static void add_all(void)
{
    omp_set_lock(&lock);
    locked++;
    omp_unset_lock(&lock);
    if (omp_test_lock(&lock)) {
        tried++;
        omp_unset_lock(&lock);
    }
    if (omp_test_nest_lock(&nest)) {
        nested += 0;
        omp_unset_nest_lock(&nest);
    }
    add_nested(2);
#pragma omp critical(hint) hint(omp_sync_hint_contended)
    hinted++;
#pragma omp critical(one)
    {
        one++;
#pragma omp critical(other)
        other++;
    }
#pragma omp critical(other)
    for (int i = 0; i < 3; i++)
        wide[i] += 1;
}

int main(void)
{
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < ROUNDS; i++)
        add_all();
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest);
    return locked != ROUNDS || tried > ROUNDS || nested != 6 * ROUNDS || hinted != ROUNDS ||
           one != ROUNDS || other != ROUNDS || wide[2] != ROUNDS;
}
