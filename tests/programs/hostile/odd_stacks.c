/*
 * claim: the smallest stacks and signal stacks, and 8 MB of thread-local storage, are enough
 * build: -O1
 * modes: run max record hunt explore heal only
 * stdout: 8 threads of the smallest size, 20 signals each
 * stdout: 4 threads with 8 MB of their own
 */
#include "hostile.h"
#include <limits.h>
#include <signal.h>
#include <sys/auxv.h>

enum { SMALL = 8, SIGNALS = 20, LARGE = 4, OWN = 8 << 20 };

static __thread long caught, trail[8];
static __thread char own[OWN];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long counter;

static void handle(int number)
{
    trail[caught++ % 8] = number;
}

static void *work_small(void *arg)
{
    stack_t stack;
    memset(&stack, 0, sizeof(stack));
    stack.ss_size = getauxval(AT_MINSIGSTKSZ) + 4096;
    if (stack.ss_size < (size_t)MINSIGSTKSZ + 4096)
        stack.ss_size = (size_t)MINSIGSTKSZ + 4096;
    stack.ss_sp = malloc(stack.ss_size);
    must(stack.ss_sp != NULL && sigaltstack(&stack, NULL) == 0);
    for (int i = 0; i < SIGNALS; i++) {
        must(raise(SIGUSR1) == 0);
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    stack.ss_flags = SS_DISABLE;
    must(sigaltstack(&stack, NULL) == 0 && caught == SIGNALS);
    free(stack.ss_sp);
    return arg;
}

static void *work_large(void *arg)
{
    for (long i = 0; i < OWN; i += 65536)
        own[i] = (char)(i >> 16);
    for (long i = 0; i < OWN; i += 65536)
        must(own[i] == (char)(i >> 16));
    return arg;
}

static void each(void *(*work)(void *), int count, size_t size)
{
    pthread_t threads[SMALL];
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    must(pthread_attr_setstacksize(&attr, size) == 0);
    for (int i = 0; i < count; i++)
        must(pthread_create(&threads[i], &attr, work, NULL) == 0);
    for (int i = 0; i < count; i++)
        join(threads[i]);
}

int main(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_handler = handle;
    action.sa_flags = SA_ONSTACK;
    must(sigaction(SIGUSR1, &action, NULL) == 0);
    each(work_small, SMALL, OWN + (size_t)PTHREAD_STACK_MIN);
    must(counter == SMALL * SIGNALS);
    say("8 threads of the smallest size, 20 signals each");
    each(work_large, LARGE, OWN + (64 << 10));
    say("4 threads with 8 MB of their own");
    return 0;
}
