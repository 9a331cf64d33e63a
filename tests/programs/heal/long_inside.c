/*
 * claim: who waits for a thread that sleeps, reads or waits inside its section goes on when the bound is over
 * build: -O1 -DHOW=sleeps
 * build: -O1 -DHOW=reads
 * build: -O1 -DHOW=awaits
 * build: -O1 -DHOW=meets
 * alone: right
 * bound: 5
 * runs: 2
 * heals: state
 * counts: block: expired
 */
#include "crowd.h"

enum { ROUNDS = 10 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static int pipes[2], round_done; /* round_done: guarded by the lock */
static volatile int state;
static _Atomic int entered;

/* What the thread in the section does there, and what the other one does after its access. */
__attribute__((noinline)) static void sleeps(int is_inside, int round)
{
    (void)round;
    if (is_inside)
        usleep(20000);
}

__attribute__((noinline)) static void reads(int is_inside, int round)
{
    char byte = (char)round;
    if ((is_inside ? read(pipes[0], &byte, 1) : write(pipes[1], &byte, 1)) != 1)
        abort();
}

__attribute__((noinline)) static void awaits(int is_inside, int round)
{
    pthread_mutex_lock(&lock);
    if (!is_inside)
        round_done = round;
    pthread_cond_signal(&changed);
    while (round_done != round)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

__attribute__((noinline)) static void meets(int is_inside, int round)
{
    (void)is_inside, (void)round;
    pthread_barrier_wait(&barrier);
}

static void *inside(void *arg)
{
    crowd_begin();
    for (int i = 1; i <= ROUNDS; i++) {
        int seen = state;
        entered = i;
        HOW(1, i);
        state = seen + 1;
        crowd_begin();
    }
    return arg;
}

static void *outside(void *arg)
{
    crowd_begin();
    for (int i = 1; i <= ROUNDS; i++) {
        while (entered != i)
            usleep(20);
        state = 1000;
        HOW(0, i);
        crowd_begin();
    }
    return arg;
}

int main(void)
{
    void (*const all[])(int, int) = {sleeps, reads, awaits, meets};
    (void)all;
    pthread_barrier_init(&barrier, NULL, 2);
    if (pipe(pipes))
        return 2;
    couple(inside, outside);
    return state < 1;
}
