/*
 * claim: what pthread_once has initialized is never predicted
 * build: -O0
 * build: -O2
 * predict: hb
 * predict: hybrid
 * predict: deadlock,notify
 * expect: none
 */
#include <pthread.h>

enum { THREADS = 4 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int table[16], ready;
static long sums[THREADS];

static void initialize(void)
{
    for (int i = 0; i < 16; i++)
        table[i] = i;
    ready = 1;
}

static void *work(void *arg)
{
    long self = (long)arg;
    pthread_once(&once, initialize);
    for (int i = 0; i < 16; i++)
        sums[self] += table[i] * ready;
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        if (sums[i] != 120)
            return 1;
    return 0;
}
