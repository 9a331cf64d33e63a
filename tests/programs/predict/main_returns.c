/*
 * claim: main returns at once, and what its threads would do is seen all the same
 * build: -O0
 * build: -O2
 * predict: hb x 2
 * expect: data-race on balance at ADD and ADD
 */
#include <pthread.h>

static int balance;

static void *add(void *unused)
{
    balance++; /* access: ADD */
    return unused;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 2; i++)
        pthread_create(&thread, NULL, add, NULL);
    return 0;
}
