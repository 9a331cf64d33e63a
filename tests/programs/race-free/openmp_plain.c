/*
 * claim: what teams and tasks of code that was not recompiled call is never reported
 * tsan: no
 * plain: plain_openmp.c
 * build: -O0 -fopenmp
 * build: -O2 -fopenmp
 * run: --budget=max x 6
 * run: --budget=max --noise=random:20/20 x 4
 * run: x 6
 * predict: hb x 2
 * env: OMP_NUM_THREADS=3
 * expect: none
 */
void plain_team(void (*call)(void));
void plain_task(void (*call)(void));

static long count, sum;

static void add(void)
{
    count++;
}

int main(void)
{
    plain_team(add);
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 100; i++)
        sum += i;
#pragma omp parallel
    for (int i = 0; i < 100; i++)
        plain_task(add);
    plain_team(add);
    return count < 700 || sum != 4950;
}
