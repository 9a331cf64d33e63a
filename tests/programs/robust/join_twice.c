/*
 * claim: joining a thread a second time is an error as without darn, and no disaster
 * tsan: no
 * build: -O1
 * run: --budget=max --noise=random:200/50 x 3
 * run: x 3
 * compare: plain
 * expect: none
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static long counter;

static void *work(void *arg)
{
    counter++;
    return arg;
}

/* glibc keeps the stack of the last thread, and knows that it was joined. */
int main(void)
{
    pthread_t thread;
    void *result = NULL;
    pthread_create(&thread, NULL, work, &counter);
    int first = pthread_join(thread, &result);
    printf("first join: %d %d\n", first, result == &counter);
    printf("second join: %s\n", strerrorname_np(pthread_join(thread, &result)));
    printf("detach: %s\n", strerrorname_np(pthread_detach(thread)));
    printf("tryjoin: %s\n", strerrorname_np(pthread_tryjoin_np(thread, &result)));
    return 0;
}
