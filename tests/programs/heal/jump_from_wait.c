/*
 * claim: a signal handler may jump out of a wait for a section, or end the thread there: it waits for nothing any more
 * build: -O1 -DHOW=jump
 * build: -O1 -DHOW=end
 * build: -O1 -DHOW=cancel
 * alone: right
 * bound: 20000
 * runs: 2
 * heals: count
 */
#include "crowd.h"

#include <setjmp.h>
#include <signal.h>

enum { ROUNDS = 10 };

static volatile long count;
static _Atomic int is_inside, is_late;
static __thread sigjmp_buf out;

__attribute__((noinline)) void jump(void);
__attribute__((noinline)) void end(void);
__attribute__((noinline)) void cancel(void);

void jump(void)
{
    siglongjmp(out, 1);
}

void end(void)
{
    pthread_exit(NULL);
}

/* It takes effect when the handler has returned. */
void cancel(void)
{
    pthread_cancel(pthread_self());
}

static void on_signal(int number)
{
    (void)number;
    HOW();
}

/* Long enough for the other one to come, and to be interrupted while it waits. */
__attribute__((noinline)) static void add_slowly(void)
{
    long seen = count;
    is_inside = 1;
    usleep(3000);
    count = seen + 1;
}

static void *adds(void *arg)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    while (!is_inside)
        sched_yield();
    if (sigsetjmp(out, 1) == 0) {
        is_late = 1;
        count = count + 1;
        for (;;)
            pause();
    }
    /* Still of use to others: its next section is one like any other. */
    count = count + 1;
    return arg;
}

int main(void)
{
    signal(SIGUSR1, on_signal);
    for (int i = 0; i < ROUNDS; i++) {
        pthread_t slow, other;
        is_inside = is_late = 0;
        if (pthread_create(&other, NULL, adds, NULL) ||
            pthread_create(&slow, NULL, (void *(*)(void *))add_slowly, NULL))
            return 2;
        while (!is_late)
            sched_yield();
        usleep(1000);
        pthread_kill(other, SIGUSR1);
        pthread_join(slow, NULL);
        pthread_join(other, NULL);
        count = count + 1;
    }
    return count < ROUNDS;
}
