/*
 * claim: a sum without a reduction clause is reported
 * tsan: no
 * build: -O0 -fopenmp
 * build: -O2 -fopenmp
 * run: x 20
 * run: --budget=max x 20
 * env: OMP_NUM_THREADS=2
 * expect: data-race on sum at ADD and ADD
 */
static long sum;

int main(void)
{
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < 800; i++) {
        sum += i;                          /* race: ADD */
        __asm__ volatile("" ::: "memory"); /* or it would be added up in a register */
    }
    return sum < 0;
}
