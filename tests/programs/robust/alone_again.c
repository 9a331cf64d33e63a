/*
 * claim: a program that has one thread left is a process of one thread: it may leave its user namespace
 * build: -O1
 * run: --budget=max x 3
 * run: x 3
 * compare: plain
 * expect: none
 * tsan: no
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long counter;

static void *work(void *none)
{
    for (int i = 0; i < 1000; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return none;
}

static void run_two(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

/* What the plain build says, if the system does not allow it at all; for some moments after a join
 * the kernel counts the thread, with and without darn. */
static const char *leave(void)
{
    int result = -1;

    for (int tries = 0; result && tries < 100; tries++) {
        result = unshare(CLONE_NEWUSER);
        if (result && errno == EINVAL)
            usleep(10);
    }
    return result ? strerror(errno) : "left";
}

int main(void)
{
    for (int i = 0; i < 20; i++) {
        run_two();
        fflush(stdout);
        if (fork() == 0) {
            run_two();
            printf("%s\n", leave());
            run_two(); /* it is watched again */
            fflush(stdout);
            _exit(0);
        }
        wait(NULL);
    }
    printf("%ld\n", counter);
    return 0;
}
