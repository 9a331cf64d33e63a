/*
 * claim: volatile is no synchronization of the language: races on it are reported, also of a spin if asked to
 * build: -O0
 * build: -O2
 * run: --halt-on-error --report-unknown-origin=0 --report-spins --noise=var:stop:1000/1000 x 20
 * run: --report-spins x 20
 * expect: data-race on stop at SET and POLL [write read]
 */
#include <pthread.h>
#include <sched.h>

enum { ROUNDS = 300 };

static pthread_barrier_t start;
static volatile int stop;

static void *poll(void *arg)
{
    pthread_barrier_wait(&start);
    while (stop < ROUNDS) /* race: POLL */
        sched_yield();
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_barrier_init(&start, NULL, 2);
    pthread_create(&thread, NULL, poll, NULL);
    pthread_barrier_wait(&start);
    for (int i = 1; i <= ROUNDS; i++)
        stop = i; /* race: SET */
    pthread_join(thread, NULL);
    return 0;
}
