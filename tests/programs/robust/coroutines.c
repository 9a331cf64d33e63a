/*
 * claim: coroutines by swapcontext, also when they move to another thread, are never reported
 * tsan: no
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:100/50 x 5
 * run: x 3
 * expect: none
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <ucontext.h>

enum { STEPS = 40, STACK = 128 * 1024 };

static ucontext_t loop, coroutine; /* passed from thread to thread by the mutex */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long steps;
static long log_of_steps[STEPS];

static void body(void)
{
    for (int i = 0; i < STEPS; i++) {
        log_of_steps[i] = i;
        steps++;
        swapcontext(&coroutine, &loop);
    }
}

/* Whoever has the lock runs one step, on the coroutine's own stack. */
static void *work(void *arg)
{
    for (int i = 0; i < STEPS / 2; i++) {
        pthread_mutex_lock(&lock);
        swapcontext(&loop, &coroutine);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    getcontext(&coroutine);
    coroutine.uc_stack.ss_sp = malloc(STACK);
    coroutine.uc_stack.ss_size = STACK;
    coroutine.uc_link = &loop;
    makecontext(&coroutine, body, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    free(coroutine.uc_stack.ss_sp);
    return steps != STEPS || log_of_steps[STEPS - 1] != STEPS - 1;
}
