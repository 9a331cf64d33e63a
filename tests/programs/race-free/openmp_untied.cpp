/*
 * claim: who hands on an untied task may be the one who ends it: then it comes after the parts that others have executed, and so
 *        do the destructors that it calls
 * tsan: no
 * build: -O0 -fopenmp
 * build: -O2 -fopenmp
 * run: x 5
 * run: --budget=max x 5
 * predict: hb x 2
 * env: OMP_NUM_THREADS=2
 * expect: none
 */
#include <dlfcn.h>
#include <stdint.h>

#include "../unseen.h"

struct counted {
    int *left;
    int own = 0;

    explicit counted(int *counter) : left(counter) {}
    counted(const counted &other) : left(other.left), own(other.own) {}
    ~counted() { *left += own; }
};

static int value, sum, wrong;
static thread_local bool keeps;

/* The first part of the task stays here until another thread is done with the second one. */
extern "C" int32_t __kmpc_omp_task(void *where, int32_t thread, void *task)
{
    auto *submit = (int32_t(*)(void *, int32_t, void *))dlsym(RTLD_NEXT, "__kmpc_omp_task");
    int32_t result = submit(where, thread, task);

    if (keeps) {
        keeps = false;
        unseen_wait();
    }
    return result;
}

static void in_parts()
{
    counted copied(&sum);

#pragma omp task untied firstprivate(copied)
    {
        value = 1;
        keeps = true;
#pragma omp taskyield
        value++;
        copied.own = 3;
        unseen_tell();
    }
#pragma omp taskwait
    wrong += value != 2 || sum != 3;
    value = sum = 0;
}

int main()
{
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 10; i++)
        in_parts();
    return wrong;
}
