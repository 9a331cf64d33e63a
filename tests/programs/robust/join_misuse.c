/*
 * claim: joining oneself, detached threads, and with a deadline behaves as without darn
 * tsan: no
 * build: -O1
 * run: --budget=max --noise=random:200/50 x 3
 * run: x 3
 * compare: plain
 * expect: none
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_barrier_t leave;
static int pass_on;

static void *wait_to_leave(void *arg)
{
    pass_on++;
    pthread_barrier_wait(&leave);
    return arg;
}

int main(void)
{
    struct timespec past = {0};
    pthread_t thread, self = pthread_self();
    void *result;
    pthread_barrier_init(&leave, NULL, 2);

    printf("join oneself: %s\n", strerrorname_np(pthread_join(self, NULL)));

    pthread_create(&thread, NULL, wait_to_leave, &leave);
    printf("tryjoin: %s\n", strerrorname_np(pthread_tryjoin_np(thread, &result)));
    printf("timedjoin: %s\n", strerrorname_np(pthread_timedjoin_np(thread, &result, &past)));
    printf("clockjoin: %s\n",
           strerrorname_np(pthread_clockjoin_np(thread, &result, CLOCK_MONOTONIC, &past)));
    pthread_barrier_wait(&leave);
    int joined = pthread_join(thread, &result);
    printf("join: %d %d\n", joined, result == &leave);

    pthread_create(&thread, NULL, wait_to_leave, NULL);
    printf("detach: %d\n", pthread_detach(thread));
    printf("detach again: %s\n", strerrorname_np(pthread_detach(thread)));
    printf("join a detached one: %s\n", strerrorname_np(pthread_join(thread, NULL)));
    pthread_barrier_wait(&leave);

    return 0;
}
