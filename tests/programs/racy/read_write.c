/*
 * claim: a reader and a writer of a global are reported as such, whoever comes first
 * build: -O0
 * build: -O2
 * run: --halt-on-error --report-unknown-origin=0 --noise=var:limit:1000/1000 x 20
 * run: --halt-on-error --report-unknown-origin=0 --budget=max --noise=site:@STORE:1000/1000 x 20
 * run: --halt-on-error --report-unknown-origin=0 --budget=max --noise=site:@LOAD:1000/1000 x 20
 * expect: data-race on limit at STORE and LOAD [write read]
 */
#include <pthread.h>

enum { ROUNDS = 300 };

static pthread_barrier_t start;
static int limit;

static void *writer(void *arg)
{
    for (int i = 1; i <= ROUNDS; i++) {
        pthread_barrier_wait(&start);
        limit = i;                         /* race: STORE */
        __asm__ volatile("" ::: "memory"); /* each round stores */
    }
    return arg;
}

static void *reader(void *arg)
{
    long sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&start);
        sum += limit;                      /* race: LOAD */
        __asm__ volatile("" ::: "memory"); /* each round loads again */
    }
    return sum >= 0 ? arg : NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&start, NULL, 2);
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
