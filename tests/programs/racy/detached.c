/*
 * claim: a race between main and a detached thread is reported
 * build: -O1
 * run: --halt-on-error --report-unknown-origin=0 --noise=var:progress:1000/1000 x 20
 * expect: data-race on progress at UPDATE and SHOW [write read]
 */
#include <pthread.h>
#include <stdatomic.h>

enum { STEPS = 300 };

static int progress;
static atomic_int started;

static void *work(void *arg)
{
    atomic_store(&started, 1);
    for (int i = 0; i < STEPS; i++) {
        progress = i;                      /* race: UPDATE */
        __asm__ volatile("" ::: "memory"); /* each round anew */
    }
    return arg;
}

int main(void)
{
    pthread_attr_t attr;
    pthread_t thread;
    long sum = 0;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_create(&thread, &attr, work, NULL);
    while (!atomic_load(&started))
        continue;
    for (int i = 0; i < STEPS; i++) {
        sum += progress;                   /* race: SHOW */
        __asm__ volatile("" ::: "memory"); /* each round anew */
    }
    return sum < 0;
}
