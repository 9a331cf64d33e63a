/*
 * claim: a thread that ends, or jumps away, inside a section leaves it: nobody waits for it any longer
 * build: -O1 -DHOW=by_exit
 * build: -O1 -DHOW=by_return
 * build: -O1 -DHOW=by_jump
 * build: -O1 -DHOW=by_signal_jump
 * build: -O1 -DHOW=by_cancel
 * build: -O1 -DHOW=by_cancel_at_once
 * build: -O0 -DHOW=by_jump
 * build: -O2 -DHOW=by_exit
 * alone: right
 * bound: 20000
 * heals: count
 */
#include "crowd.h"

#include <setjmp.h>
#include <signal.h>

enum { ROUNDS = 20 };

/* What is 1 in each thread that is to leave its section, and 0 in the others. */
static __thread int is_leaving;
static __thread sigjmp_buf out;
static volatile long count;

__attribute__((noinline)) void by_exit(void);
__attribute__((noinline)) void by_jump(void);
__attribute__((noinline)) void by_signal_jump(void);
__attribute__((noinline)) void by_cancel(void);
__attribute__((noinline)) void by_cancel_at_once(void);
__attribute__((noinline)) void by_return(void);

void by_exit(void)
{
    pthread_exit(NULL);
}

void by_jump(void)
{
    siglongjmp(out, 1);
}

static void on_signal(int number)
{
    (void)number;
    siglongjmp(out, 1);
}

void by_signal_jump(void)
{
    raise(SIGUSR1);
}

void by_cancel(void)
{
    pthread_cancel(pthread_self());
    sleep(20);
}

void by_cancel_at_once(void)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    pthread_cancel(pthread_self());
    for (;;)
        pause();
}

/* Means that the function itself returns. */
void by_return(void)
{
}

static void *adds(void *arg)
{
    is_leaving = arg != NULL;
    if (sigsetjmp(out, 1))
        return NULL;
    long seen = count;
    if (is_leaving) {
        HOW();
        return NULL;
    }
    count = seen + 1;
    return NULL;
}

/* Another thread after it, in the section of the same variable; and a write alone. */
int main(void)
{
    pthread_t thread;
    signal(SIGUSR1, on_signal);
    for (long i = 0; i < 2 * ROUNDS; i++) {
        if (pthread_create(&thread, NULL, adds, (void *)(i % 2)))
            return 2;
        pthread_join(thread, NULL);
        count = count + 100;
    }
    return count != 2 * ROUNDS * 100 + ROUNDS;
}
