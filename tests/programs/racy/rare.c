/*
 * claim: accesses that overlap in time only rarely are reported
 * build: -O1
 * run: --halt-on-error --report-unknown-origin=0 --noise=var:setting:1000/2000 x 20
 * run: --halt-on-error --report-unknown-origin=0 --budget=max --noise=var:setting:500/1000 x 20
 * expect: data-race on setting at CHANGE and USE [write read]
 */
#include <pthread.h>
#include <unistd.h>

enum { MILLISECONDS = 250 };

static int setting;

/* Each side touches the variable for a moment, once per millisecond, each at its own pace. */
static void *change(void *arg)
{
    for (int i = 0; i < MILLISECONDS; i++) {
        setting = i; /* race: CHANGE */
        usleep(1000);
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    long sum = 0;
    pthread_create(&thread, NULL, change, NULL);
    for (int i = 0; i < MILLISECONDS; i++) {
        sum += setting; /* race: USE */
        usleep(950);
    }
    pthread_join(thread, NULL);
    return sum < 0;
}
