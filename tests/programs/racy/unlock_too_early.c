/*
 * claim: an access right after the unlock is reported, those inside the lock are not
 * build: -O0
 * build: -O2
 * run: --halt-on-error --report-unknown-origin=0 --noise=var:total:1000/1000 x 20
 * expect: data-race on total at OUTSIDE and INSIDE [read write]
 */
#include <pthread.h>

enum { ROUNDS = 300 };

static pthread_barrier_t start;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;

static long add(long amount)
{
    pthread_mutex_lock(&lock);
    total = amount; /* race: INSIDE */
    pthread_mutex_unlock(&lock);
    return total; /* race: OUTSIDE */
}

static void *work(void *arg)
{
    long last = 0;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&start);
        last += add(i);
    }
    return last ? arg : NULL;
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
