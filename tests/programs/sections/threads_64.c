/*
 * claim: 64 threads are in the section of one variable at the same time
 * build: -O0
 * build: -O1
 * build: -O2
 * sections: infer --kind=load-and-store,test-and-use
 * inferred: test-and-use on places from CHECK to TAKE
 * expect: atomicity-violation on places at CHECK and TAKE and TAKE
 * fixed: yes
 */
#include "meet.h"

enum { THREADS = 64, PLACES = 40 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int places = PLACES;
static int taken[THREADS];

static void *takes(void *arg)
{
    pthread_mutex_lock(&lock);
    int free_place = places > 0; /* access: CHECK */
    give_way(&lock);
    if (free_place) {
        places--; /* access: TAKE */
        taken[(long)arg] = 1;
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    int sum = 0;
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, takes, (void *)i);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        sum += taken[i];
    }
#ifdef FIXED
    return sum != PLACES || places != 0;
#else
    return sum < PLACES;
#endif
}
