/*
 * claim: main returns at once; what runs at the exit takes away what a thread still uses
 * build: -O0
 * build: -O2
 * build: -O1 -DBY_EXIT
 * build: -O1 -DBY_QUICK_EXIT
 * build: -O1 -DBY_DESTRUCTOR
 * bug: crash
 * within: 60
 * fixed: yes
 */
#include <pthread.h>
#include <stdlib.h>

static int table;
static int *volatile current = &table;

#ifdef BY_DESTRUCTOR
__attribute__((destructor))
#endif
static void take_away(void)
{
    current = NULL;
}

static void *work(void *arg)
{
    if (current)
        *current = 1;
    return arg;
}

int main(void)
{
    pthread_t thread;
#if defined(BY_QUICK_EXIT)
    at_quick_exit(take_away);
#elif !defined(BY_DESTRUCTOR)
    atexit(take_away);
#endif
    pthread_create(&thread, NULL, work, NULL);
#ifdef FIXED
    pthread_join(thread, NULL);
#endif
#ifdef BY_EXIT
    exit(0);
#elif defined(BY_QUICK_EXIT)
    quick_exit(0);
#endif
    return 0;
}
