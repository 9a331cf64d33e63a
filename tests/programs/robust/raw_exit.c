/*
 * claim: a program whose last thread ends by the exit system call ends, with that status
 * build: -O1
 * run: --budget=max x 2
 * run: x 2
 * compare: plain
 * expect: none
 * exit: 5
 * tsan: no
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long counter;

static void count(void)
{
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
}

static void *leave(void *none)
{
    count();
    syscall(SYS_exit, 1);
    return none;
}

/* The system call without libc. */
static void *leave_unseen(void *none)
{
    count();
    __asm__ volatile("syscall" : : "a"(SYS_exit), "D"(1) : "rcx", "r11", "memory");
    return none;
}

/* The system gives the process the status of the thread that ends last: that is this one. */
int main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, leave, NULL);
    pthread_create(&threads[1], NULL, leave_unseen, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    count();
    printf("%ld\n", counter);
    fflush(stdout);
    syscall(SYS_exit, 5);
    return 0;
}
