/*
 * claim: an access that each of two threads makes once is reported in every plain run
 * build: -O0
 * build: -O2
 * run: x 20
 * run: --budget=max x 5
 * expect: data-race on value at WRITE and READ [write read]
 */
#include <pthread.h>

static int value;
static int given = 7;

static void *write_once(void *arg)
{
    value = *(int *)arg; /* race: WRITE */
    return arg;
}

static void *read_once(void *arg)
{
    return value == 7 ? arg : NULL; /* race: READ */
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, write_once, &given);
    pthread_create(&threads[1], NULL, read_once, &given);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
