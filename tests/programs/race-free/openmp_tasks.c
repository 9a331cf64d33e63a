/*
 * claim: OpenMP tasks with dependences and taskwait are never reported
 * tsan: no
 * build: -O0 -fopenmp
 * build: -O2 -fopenmp
 * run: --budget=max --noise=random:50/20 x 8
 * run: x 4
 * predict: hb x 2
 * env: OMP_NUM_THREADS=3
 * expect: none
 */
#include <omp.h>

static long fibonacci(int n)
{
    long a, b;
    if (n < 2)
        return n;
#pragma omp task shared(a)
    a = fibonacci(n - 1);
#pragma omp task shared(b)
    b = fibonacci(n - 2);
#pragma omp taskwait
    return a + b;
}

static long pipeline(void)
{
    static long stages[3];
    for (int i = 1; i <= 50; i++) {
#pragma omp task depend(out : stages[0]) firstprivate(i)
        stages[0] = i;
#pragma omp task depend(in : stages[0]) depend(inout : stages[1])
        stages[1] += stages[0];
#pragma omp task depend(in : stages[1]) depend(out : stages[2])
        stages[2] = stages[1];
    }
#pragma omp taskwait
    return stages[2];
}

int main(void)
{
    long number = 0, sum = 0;
#pragma omp parallel
#pragma omp single
    {
        number = fibonacci(11);
        sum = pipeline();
    }
    return number != 89 || sum != 50 * 51 / 2;
}
