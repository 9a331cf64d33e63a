/*
 * claim: main reads a plain result before the thread that computes it has set it
 * build: -O1
 * fails: exit
 * kind: data-race
 * heals: yes
 */
#include <pthread.h>

#include "usually.h"

static int answer;

static void *compute(void *unused)
{
    slow(1);
    answer = 42; /* order: SET */
    return unused;
}

int main(void)
{
    pthread_t thread;
    int seen;

    pthread_create(&thread, NULL, compute, NULL);
#ifdef FIXED
    pthread_join(thread, NULL);
    seen = answer;
#else
    usually_late();
    seen = answer; /* order: USE */
    pthread_join(thread, NULL);
#endif
    return seen != 42;
}
