/*
 * claim: a thread that joins another inside a section does not wait for ever for it, nor the other for the section
 * build: -O1
 * alone: right
 * bound: 100
 * heals: state
 * counts: block: cycles
 */
#include "crowd.h"

enum { ROUNDS = 30 };

static volatile int state;

static void *changes(void *arg)
{
    state = 7;
    return arg;
}

static int collect(void)
{
    pthread_t thread;
    int seen = state;
    if (pthread_create(&thread, NULL, changes, NULL))
        return 1;
    pthread_join(thread, NULL);
    state = seen + 1;
    return 0;
}

/* Alone, nobody can be in the way. */
static void *is_there(void *arg)
{
    pause();
    return arg;
}

int main(void)
{
    int failed = 0;
    pthread_t company;
    if (pthread_create(&company, NULL, is_there, NULL))
        return 2;
    for (int i = 0; i < ROUNDS; i++)
        failed |= collect();
    return failed || state != ROUNDS;
}
