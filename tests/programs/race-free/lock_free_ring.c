/*
 * claim: slots of a single-producer single-consumer ring are never reported
 * build: -O0
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

enum { SLOTS = 8, ITEMS = 1000 };

static struct item {
    int number;
    char tag;
} ring[SLOTS];
static atomic_uint head, tail;

static void *producer(void *arg)
{
    (void)arg;
    for (unsigned i = 0; i < ITEMS; i++) {
        while (i - atomic_load_explicit(&head, memory_order_acquire) == SLOTS)
            sched_yield();
        ring[i % SLOTS].number = (int)i;
        ring[i % SLOTS].tag = (char)('a' + i % 26);
        atomic_store_explicit(&tail, i + 1, memory_order_release);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int broken = 0;
    pthread_create(&thread, NULL, producer, NULL);
    for (unsigned i = 0; i < ITEMS; i++) {
        while (atomic_load_explicit(&tail, memory_order_acquire) == i)
            sched_yield();
        struct item item = ring[i % SLOTS];
        broken += item.number != (int)i || item.tag != (char)('a' + i % 26);
        atomic_store_explicit(&head, i + 1, memory_order_release);
    }
    pthread_join(thread, NULL);
    return broken != 0;
}
