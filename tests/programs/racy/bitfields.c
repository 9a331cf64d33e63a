/*
 * claim: bit-fields that share a unit are reported, although no bit is shared
 * build: -O0
 * build: -O2
 * run: --halt-on-error --report-unknown-origin=0 --noise=site:@VISIBLE:1000/1000 x 20
 * run: --halt-on-error --report-unknown-origin=0 --budget=max --noise=random:1000/1000 x 20
 * expect: data-race on flags.visible or flags.locked or flags at VISIBLE and LOCKED
 */
#include <pthread.h>

enum { ROUNDS = 300 };

static pthread_barrier_t start;
static struct {
    unsigned visible : 3;
    unsigned locked : 5;
} flags;

static void *show(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&start);
        flags.visible++; /* race: VISIBLE */
    }
    return arg;
}

static void *lock(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&start);
        flags.locked++; /* race: LOCKED */
    }
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&start, NULL, 2);
    pthread_create(&threads[0], NULL, show, NULL);
    pthread_create(&threads[1], NULL, lock, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
