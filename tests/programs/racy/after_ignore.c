/*
 * claim: what follows an ignored region, or shares a function with one, is reported
 * build: -O1
 * run: --halt-on-error --report-unknown-origin=0 --budget=max --noise=random:1000/1000 x 20
 * expect: data-race on watched at WATCHED and WATCHED
 * never: ignored
 */
#include <darn.h>
#include <pthread.h>

enum { ROUNDS = 300 };

static pthread_barrier_t start;
static long ignored, watched;

static void *work(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&start);
        DARN_IGNORE_BEGIN();
        ignored++;
        DARN_IGNORE_BEGIN(); /* regions nest */
        ignored++;
        DARN_IGNORE_END();
        ignored++;
        DARN_IGNORE_END();
        watched++; /* race: WATCHED */
    }
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&start, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
