/*
 * claim: a signal handler that touches the variable of the section is the same thread
 * build: -O0
 * build: -O1
 * build: -O2
 * sections: infer --kind=load-and-store,test-and-use
 * inferred: load-and-store on ticks from READ to WRITE
 * runs: 5
 * expect: none
 */
#include <signal.h>

#include "meet.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile long ticks;
static volatile long *const in_handler = &ticks;

/* The lock is held by the thread that it interrupts. */
static void on_signal(int number)
{
    (void)number;
    *in_handler = *in_handler + 10;
}

static void tick(int interrupted)
{
    long seen = ticks; /* access: READ */
    if (interrupted)
        raise(SIGUSR1);
    ticks = seen + 1; /* access: WRITE */
}

static void *interrupted(void *arg)
{
    pthread_mutex_lock(&lock);
    tick(1);
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *undisturbed(void *arg)
{
    pthread_mutex_lock(&lock);
    tick(0);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    signal(SIGUSR1, on_signal);
    meet(interrupted, undisturbed);
    return ticks != 2 * MEETINGS;
}
