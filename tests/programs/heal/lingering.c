/*
 * claim: who has made its last access keeps nobody out, whatever it does then: it sleeps, reads, waits or computes
 * build: -O1 -DHOW=sleeps
 * build: -O1 -DHOW=reads
 * build: -O1 -DHOW=awaits
 * build: -O1 -DHOW=computes
 * build: -O1 -DHOW=stops
 * alone: right
 * bound: 20000
 * heals: count
 */
#include "crowd.h"

#include <semaphore.h>
#include <signal.h>
#include <sys/syscall.h>

static volatile long count;
static sem_t is_done, is_free;
static int pipes[2];
static _Atomic int is_over;

__attribute__((noinline)) static void add(void)
{
    count = count + 1;
}

/* Each lasts until the other one has made its access. */
__attribute__((noinline)) static void sleeps(void)
{
    while (!is_over)
        usleep(100000);
}

__attribute__((noinline)) static void reads(void)
{
    char byte;
    if (read(pipes[0], &byte, 1) != 1)
        abort();
}

__attribute__((noinline)) static void awaits(void)
{
    sem_wait(&is_free);
}

__attribute__((noinline)) static void computes(void)
{
    while (!is_over)
        dawdle(100);
}

/* Not through the library. */
__attribute__((noinline)) static void stops(void)
{
    char byte;
    if (syscall(SYS_read, pipes[0], &byte, 1) != 1)
        abort();
}

static void *first(void *arg)
{
    crowd_begin();
    for (int i = 0; i < 5; i++)
        add();
    sem_post(&is_done);
    add();
    HOW();
    return arg;
}

static void *second(void *arg)
{
    crowd_begin();
    sem_wait(&is_done);
    usleep(2000);
    add();
    add();
    is_over = 1;
    sem_post(&is_free);
    if (write(pipes[1], "x", 1) != 1)
        abort();
    return arg;
}

int main(void)
{
    void (*const all[])(void) = {sleeps, reads, awaits, computes, stops};
    (void)all;
    sem_init(&is_done, 0, 0);
    sem_init(&is_free, 0, 0);
    if (pipe(pipes))
        return 2;
    couple(first, second);
    return count < 7;
}
