/*
 * claim: handlers on small alternate stacks have room enough
 * tsan: no
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:500/50 x 5
 * run: x 3
 * expect: none
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

enum { SIGNALS = 50, ROOM = 4096 };

static __thread long caught, trail[8];

static void handle(int number, siginfo_t *info, void *context)
{
    (void)info, (void)context;
    trail[caught++ % 8] = number;
}

static void *work(void *arg)
{
    stack_t stack;
    memset(&stack, 0, sizeof(stack));
    /* What the kernel itself needs for the frame, and a page for the handler. */
    stack.ss_size = getauxval(AT_MINSIGSTKSZ) + ROOM;
    if (stack.ss_size < (size_t)MINSIGSTKSZ + ROOM)
        stack.ss_size = (size_t)MINSIGSTKSZ + ROOM;
    stack.ss_sp = malloc(stack.ss_size);
    sigaltstack(&stack, NULL);
    for (int i = 0; i < SIGNALS; i++)
        pthread_kill(pthread_self(), SIGUSR1);
    stack.ss_flags = SS_DISABLE;
    sigaltstack(&stack, NULL);
    free(stack.ss_sp);
    return caught == SIGNALS ? arg : NULL;
}

int main(void)
{
    struct sigaction action;
    pthread_t threads[3];
    int failed = 0;
    memset(&action, 0, sizeof(action));
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGUSR1, &action, NULL);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, &threads);
    for (int i = 0; i < 3; i++) {
        void *result;
        pthread_join(threads[i], &result);
        failed += result == NULL;
    }
    return failed;
}
