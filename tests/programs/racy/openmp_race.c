/*
 * claim: a sum without a reduction clause is reported
 * tsan: no
 * build: -O0 -fopenmp
 * build: -O2 -fopenmp
 * run: --noise=var:sum:1000/500 x 20
 * run: --budget=max --noise=random:1000/500 x 20
 * env: OMP_NUM_THREADS=2
 * expect: data-race on sum at ADD and ADD
 */
static long sum;

int main(void)
{
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < 80; i++)
        sum += i; /* race: ADD */
    return sum < 0;
}
