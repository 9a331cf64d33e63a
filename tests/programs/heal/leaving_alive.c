/*
 * claim: a thread that has jumped out of a section, and lives on without any access, keeps nobody out
 * build: -O1
 * build: -O2
 * alone: right
 * bound: 20000
 * heals: count
 */
#include "crowd.h"

#include <setjmp.h>

enum { ROUNDS = 20 };

static pthread_barrier_t turn;
static jmp_buf out;
static volatile long count;

__attribute__((noinline)) static void jump(void)
{
    longjmp(out, 1);
}

__attribute__((noinline)) static void add(int is_leaving)
{
    long seen = count;
    if (is_leaving)
        jump();
    count = seen + 1;
}

static void *leaves(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        if (setjmp(out) == 0)
            add(1);
        pthread_barrier_wait(&turn); /* the other one writes */
        pthread_barrier_wait(&turn);
    }
    return arg;
}

static void *writes(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&turn);
        add(0);
        count = count + 10;
        pthread_barrier_wait(&turn);
    }
    return arg;
}

int main(void)
{
    pthread_barrier_init(&turn, NULL, 2);
    couple(leaves, writes);
    return count != ROUNDS * 11;
}
