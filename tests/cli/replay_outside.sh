#!/bin/bash
# needs: compiler
# darn replay: a thread that is late to come back from a system call which darn does not see is waited for.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

cat >late.c <<'END'
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ends[2], rounds, received;
static sem_t reads;

static void rest(long milliseconds)
{
    struct timespec time = {.tv_nsec = milliseconds * 1000000};
    syscall(SYS_nanosleep, &time, NULL);
}

static void *receive(void *arg)
{
    char byte;
    sem_post(&reads); /* from here on it is in the call: nothing comes in between */
    if (syscall(SYS_read, ends[0], &byte, 1) != 1)
        return &ends;
    if (getenv("LATE"))
        rest(400);
    pthread_mutex_lock(&lock);
    received = rounds;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *post(void *arg)
{
    sem_wait(&reads);
    if (syscall(SYS_write, ends[1], "x", 1) != 1)
        return &ends;
    rest(50); /* it has come back by then, unless it is late */
    for (int i = 0; i < 10; i++) {
        pthread_mutex_lock(&lock);
        rounds++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    if (pipe(ends) != 0 || sem_init(&reads, 0, 0) != 0)
        return 1;
    pthread_create(&threads[0], NULL, receive, NULL);
    pthread_create(&threads[1], NULL, post, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return received < 10 ? 3 : 0;
}
END
darn cc -g -O1 -pthread late.c -o late || exit 1

claim "a schedule in which a thread comes back from the outside early is found"
try darn explore --strategy=random --jobs=1 --schedules=50 -o out -- ./late
expect_status 66
expect_has "$err" "exited with status 3"

claim "it replays when the thread comes back late, too"
try env LATE=1 darn replay --times=2 out/1
expect_status 66
expect_has "$out$err" "2 of 2"
expect_lacks "$out$err" "diverge"

finish
