/*
 * claim: threads of constructors, destructors and exit handlers, and exit while others run
 * build: -O1
 * modes: run max record hunt explore heal only
 * stdout: before main
 * stdout: main
 * stdout: at exit
 * stdout: after main
 * exit: 9
 * seconds: 20
 * refused: starts threads before main
 */
#include "hostile.h"
#include <stdatomic.h>

static pthread_t early;
static atomic_int stop;
static pthread_barrier_t barrier;
static long cells[3];

static void *run_for_ever(void *arg)
{
    pthread_barrier_wait(&barrier);
    for (long i = 0;; i++) {
        *(volatile long *)arg = i;
        usleep(10);
    }
    return arg;
}

static void *wait_for_main(void *arg)
{
    while (!atomic_load(&stop))
        usleep(10);
    return arg;
}

__attribute__((constructor)) static void begin(void)
{
    two_threads_count();
    early = start(wait_for_main, NULL);
    say("before main");
}

__attribute__((destructor)) static void finish(void)
{
    two_threads_count();
    say("after main");
}

static void at_exit(void)
{
    two_threads_count();
    say("at exit");
}

static void *leave(void *arg)
{
    (void)arg;
    exit(9);
}

int main(void)
{
    must(atexit(at_exit) == 0);
    two_threads_count();
    atomic_store(&stop, 1);
    join(early);
    pthread_barrier_init(&barrier, NULL, 4);
    for (int i = 0; i < 3; i++)
        start(run_for_ever, &cells[i]);
    pthread_barrier_wait(&barrier);
    say("main");
    join(start(leave, NULL));
    return 1;
}
