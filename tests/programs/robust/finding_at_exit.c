/*
 * claim: a finding that is made while main returns counts for the exit status, halting or not
 * build: -O1
 * run: --halt-on-error --noise=var:progress:1000/1000 x 20
 * run: --noise=var:progress:1000/1000 x 20
 * expect: none
 * allow: data-race on progress at UPDATE and SHOW [write read]
 */
#include <pthread.h>
#include <stdatomic.h>

static int progress;
static atomic_int started;

static void *work(void *arg)
{
    atomic_store(&started, 1);
    progress = 1; /* race: UPDATE */
    return arg;
}

int main(void)
{
    pthread_attr_t attr;
    pthread_t thread;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_create(&thread, &attr, work, NULL);
    while (!atomic_load(&started))
        continue;
    return progress < 0; /* race: SHOW */
}
