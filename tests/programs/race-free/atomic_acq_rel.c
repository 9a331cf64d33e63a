/*
 * claim: data published by a release store and taken by an acquire load is never reported
 * build: -O0
 * build: -O1
 * build: -O2
 * build: -O3
 * run: --budget=max --noise=random:50/20 x 10
 * run: x 5
 * predict: hb
 * expect: none
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { ROUNDS = 500 };

static atomic_int ready;
static struct {
    int number;
    double half;
    char name[8];
} message;

static void *receiver(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        while (atomic_load_explicit(&ready, memory_order_acquire) != 1)
            sched_yield();
        if (message.number != i || message.half != i / 2.0 || message.name[0] != 'a' + i % 26)
            return &message;
        message.number = -1;
        atomic_store_explicit(&ready, 0, memory_order_release);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    void *broken;
    pthread_create(&thread, NULL, receiver, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        while (atomic_load_explicit(&ready, memory_order_acquire) != 0)
            sched_yield();
        message.number = i;
        message.half = i / 2.0;
        message.name[0] = (char)('a' + i % 26);
        atomic_store_explicit(&ready, 1, memory_order_release);
    }
    pthread_join(thread, &broken);
    return broken != NULL;
}
