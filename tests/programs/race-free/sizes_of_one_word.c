/*
 * claim: atomics of different sizes in one word synchronize with each other, and so does asm goto
 * build: -O1
 * run: x 10
 * run: --budget=max x 5
 * predict: hb
 * expect: none
 */
#include <pthread.h>
#include <sched.h>
#include <stdint.h>

enum { ROUNDS = 300 };

/* A lock that is taken as a word and given back as a byte. */
static union {
    uint32_t word;
    uint8_t byte;
} lock;
static long counter;
static int gate, behind;

static void take(void)
{
    uint32_t free = 0;

    while (
        !__atomic_compare_exchange_n(&lock.word, &free, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
        free = 0;
        sched_yield();
    }
}

static void give(void)
{
    __atomic_store_n(&lock.byte, 0, __ATOMIC_RELEASE);
}

/* True when it was closed, and is ours now. */
static int take_gate(void)
{
#ifdef __x86_64__
    __asm__ goto("lock btsl $0, %0; jc %l1" : : "m"(gate) : "memory", "cc" : busy);
    return 1;
busy:
    return 0;
#else
    return !__atomic_exchange_n(&gate, 1, __ATOMIC_ACQUIRE);
#endif
}

static void *work(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        take();
        counter++;
        give();
        while (!take_gate())
            sched_yield();
        behind++;
        __asm__ volatile("movl $0, %0" : "=m"(gate) : : "memory");
    }
    return unused;
}

int main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return counter != 2 * ROUNDS || behind != 2 * ROUNDS;
}
