/*
 * claim: any other access under an exclusive-access assertion is reported, even an atomic read
 * tsan: no
 * build: -O1
 * run: --halt-on-error --report-unknown-origin=0 --budget=max --noise=random:1000/1000 x 20
 * expect: data-race on mine at ASSERTION and INTRUDER with assertion=exclusive-access
 */
#include <darn.h>
#include <pthread.h>
#include <stdatomic.h>

enum { ROUNDS = 300 };

static pthread_barrier_t start;
static atomic_int mine;

static void *owner(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&start);
        DARN_ASSERT_EXCLUSIVE_ACCESS(mine); /* race: ASSERTION */
    }
    return arg;
}

static void *intruder(void *arg)
{
    long sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&start);
        sum += atomic_load(&mine); /* race: INTRUDER */
    }
    return sum ? arg : NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&start, NULL, 2);
    pthread_create(&threads[0], NULL, owner, NULL);
    pthread_create(&threads[1], NULL, intruder, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
