/*
 * claim: RaceFuzzer's figure 1: the race on z is real and reaches ERROR1; the pair on x never meets
 * build: -O1
 * bug: assert
 * within: 20
 * fixed: no
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x, y, z;

/* The marks are the numbers of the paper's statements. */
static void *first(void *arg)
{
    x = 1; /* race: S1 */
    pthread_mutex_lock(&lock);
    y = 1;
    pthread_mutex_unlock(&lock);
    if (z == 1)  /* race: S5 */
        abort(); /* ERROR1 */
    return arg;
}

static void *second(void *arg)
{
    z = 1; /* race: S7 */
    pthread_mutex_lock(&lock);
    if (y == 1) {
        if (x != 1)  /* race: S10 */
            abort(); /* ERROR2: in no schedule */
    }
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    usleep(30000); /* they do not meet in a usual run */
    pthread_create(&threads[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
