/*
 * claim: RaceFuzzer's figure 1: both pairs are predicted, the second of which only y forbids
 * build: -O0
 * build: -O2
 * predict: hybrid
 * predict: hb
 * expect: data-race on z at S5 and S7
 * expect: data-race on x at S1 and S10 by hybrid
 * never: y
 * tsan: no
 */
#include <pthread.h>
#include "../unseen.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x, y, z;
int errors; /* ERROR1 and ERROR2, in other schedules; not static, or the optimizer would drop it */

/* The marks are the numbers of the paper's statements. */
static void *first(void *arg)
{
    x = 1; /* race: S1 */
    pthread_mutex_lock(&lock);
    y = 1;
    pthread_mutex_unlock(&lock);
    if (z == 1) /* race: S5 */
        errors = 1;
    unseen_tell();
    return arg;
}

static void *second(void *arg)
{
    z = 1; /* race: S7 */
    pthread_mutex_lock(&lock);
    if (y == 1) {
        if (x != 1) /* race: S10 */
            errors = 2;
    }
    pthread_mutex_unlock(&lock);
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
    return 0;
}
