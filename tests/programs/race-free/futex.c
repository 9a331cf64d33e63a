/*
 * claim: data behind a lock made of raw futex calls is never reported
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:50/20 x 10
 * run: x 5
 * predict: hb
 * expect: none
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ROUNDS = 500 };

/* 0 free, 1 held, 2 held and someone waits. */
static atomic_int state;
static long counter;

static void lock(void)
{
    int seen = 0;
    if (atomic_compare_exchange_strong(&state, &seen, 1))
        return;
    while (atomic_exchange(&state, 2) != 0)
        syscall(SYS_futex, &state, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

static void unlock(void)
{
    if (atomic_exchange(&state, 0) == 2)
        syscall(SYS_futex, &state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *work(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        lock();
        counter++;
        unlock();
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return counter != 3 * ROUNDS;
}
