/*
 * claim: RaceFuzzer's figure 2: a race that the lock hides is predicted by hybrid, not by hb
 * build: -O0
 * build: -O2
 * predict: hybrid
 * predict: hb
 * expect: data-race on x at S8 and S10 by hybrid
 * tsan: no
 */
#include <pthread.h>
#include "../unseen.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x, steps;
int errors; /* ERROR, in other schedules; not static, or the optimizer would drop it */

static void f(void)
{
    steps++;
}

/* The thread that the paper calls the second comes first. */
static void *first(void *arg)
{
    x = 1; /* race: S10 */
    pthread_mutex_lock(&lock);
    f();
    pthread_mutex_unlock(&lock);
    unseen_tell();
    return arg;
}

static void *second(void *arg)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < 5; i++)
        f();
    pthread_mutex_unlock(&lock);
    if (x == 0) /* race: S8 */
        errors = 1;
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    unseen_wait(); /* they never meet */
    pthread_create(&threads[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return steps != 6;
}
