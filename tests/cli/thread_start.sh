#!/bin/bash
# needs: compiler
# Signals that come while threads begin: their handlers are no threads of their own.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

# A signal that all threads block but the new one, from its first instruction on, and that is there already.
cat >pending.c <<'E'
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long threads;
static volatile sig_atomic_t handled;
static pthread_t handled_by;

static void handle(int number)
{
    (void)number;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    handled++;
    handled_by = pthread_self();
}

static void *work(void *none)
{
    sigset_t blocked;

    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    if (!handled || !pthread_equal(handled_by, pthread_self()) || sigismember(&blocked, SIGUSR1) ||
        !sigismember(&blocked, SIGUSR2))
        puts("not the new thread's");
    pthread_mutex_lock(&lock);
    threads++;
    pthread_mutex_unlock(&lock);
    return none;
}

int main(void)
{
    static char stack[1 << 18] __attribute__((aligned(64)));
    pthread_attr_t attributes;
    sigset_t set;
    size_t size;
    int state;

    signal(SIGUSR1, handle);
    sigfillset(&set);
    sigdelset(&set, SIGUSR1);
    pthread_attr_init(&attributes);
    pthread_attr_setsigmask_np(&attributes, &set);
    pthread_attr_setguardsize(&attributes, 1 << 16);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_SETMASK, &set, NULL);
    for (int i = 0; i < 20; i++) {
        pthread_t thread;

        if (i == 10)
            pthread_attr_setstack(&attributes, stack, sizeof(stack));
        kill(getpid(), SIGUSR1);
        pthread_create(&thread, &attributes, work, NULL);
        pthread_join(thread, NULL);
    }
    /* The attributes are as they were. */
    pthread_attr_getsigmask_np(&attributes, &set);
    pthread_attr_getguardsize(&attributes, &size);
    pthread_attr_getdetachstate(&attributes, &state);
    printf("%ld threads, %d handled, %d%d%d\n", threads, (int)handled, sigismember(&set, SIGUSR1),
           size == 1 << 16, state == PTHREAD_CREATE_JOINABLE);
    return 0;
}
E
# The same by chance: a timer that strikes all the time.
cat >storm.c <<'E'
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <threads.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long count;

static void handle(int number)
{
    static __thread long times;

    (void)number;
    times++;
}

static void *work(void *none)
{
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return none;
}

static int work11(void *none)
{
    work(none);
    return 0;
}

int main(void)
{
    struct itimerval often = {{0, 40}, {0, 40}}, never = {{0, 0}, {0, 0}};
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 100; i++) {
        pthread_t thread;
        thrd_t thread11;

        pthread_create(&thread, NULL, work, NULL);
        thrd_create(&thread11, work11, NULL);
        pthread_join(thread, NULL);
        thrd_join(thread11, NULL);
    }
    setitimer(ITIMER_REAL, &never, NULL);
    printf("%ld\n", count);
    return 0;
}
E
for program in "pending:21:20 threads, 20 handled, 011" storm:201:200; do
    IFS=: read -r name threads output <<<"$program"
    darn cc -O1 -g $name.c -o $name -pthread || exit 1

    claim "$name: the trace has as many threads as the program"
    rm -f $name.trace
    try timeout 100 darn record --every-access -o $name.trace -- ./$name
    expect_same "$status $out" "0 $output"
    expect_has "$(darn trace stat $name.trace | tr -s " ")" "threads $threads"

    claim "$name: nothing is predicted"
    try darn analyze --engine=hb,hybrid $name.trace
    expect_status 0

    claim "$name: watched and healed, it does as it should"
    for options in "" --budget=max; do
        try timeout 100 darn run $options -- ./$name
        expect_same "$status $out" "0 $output"
        expect_has "$err" "darn: nothing found in $name: $threads threads, "
    done
    darn sections infer -o $name.sections ./$name >/dev/null
    try timeout 100 env DARN_OPTIONS=heal=$name.sections ./$name
    expect_same "$status $out" "0 $output"
done

finish
