/*
 * claim: a second writer under an exclusive-writer assertion is reported, readers are not
 * tsan: no
 * build: -O1
 * run: --halt-on-error --report-unknown-origin=0 --budget=max --noise=random:1000/1000 x 20
 * expect: data-race on owned at ASSERTION and INTRUDER with assertion=exclusive-writer
 */
#include <darn.h>
#include <pthread.h>
#include <stdatomic.h>

enum { ROUNDS = 300 };

static pthread_barrier_t start;
static atomic_int owned, read_by_all; /* atomic: without the assertion there is nothing to report */

static void *owner(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&start);
        DARN_ASSERT_EXCLUSIVE_WRITER(owned); /* race: ASSERTION */
        DARN_ASSERT_EXCLUSIVE_WRITER(read_by_all);
        atomic_store(&read_by_all, i);
    }
    return arg;
}

static void *other(void *arg)
{
    long sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&start);
        atomic_store(&owned, i); /* race: INTRUDER */
        sum += atomic_load(&read_by_all);
    }
    return sum ? arg : NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&start, NULL, 2);
    pthread_create(&threads[0], NULL, owner, NULL);
    pthread_create(&threads[1], NULL, other, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
