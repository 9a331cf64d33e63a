/*
 * claim: main prints a result without having joined the thread that computes it
 * build: -O1
 * fails: exit
 * first: SET
 * then: USE
 * heals: yes
 */
#include <pthread.h>
#include <stdatomic.h>

#include "usually.h"

static atomic_long result;

static void *compute(void *unused)
{
    long sum = 0;

    slow(1);
    for (int i = 1; i <= 10; i++)
        sum += i;
    atomic_store(&result, sum); /* order: SET */
    return unused;
}

int main(void)
{
    pthread_t worker;
    long seen;

    pthread_create(&worker, NULL, compute, NULL);
#ifdef FIXED
    pthread_join(worker, NULL);
    seen = atomic_load(&result);
#else
    usually_late();              /* it is there by then */
    seen = atomic_load(&result); /* order: USE */
    pthread_join(worker, NULL);
#endif
    return seen != 55;
}
