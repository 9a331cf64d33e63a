/*
 * claim: a lock-free stack without a version in its head: a node is in it and held at once (ABA)
 * build: -O1
 * bug: assert
 * within: 20
 * fixed: yes
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

/* Nodes are numbers from 1; 0 ends the stack. The upper half of the head is the version. */
enum { NODES = 2 };

#ifdef FIXED
#define VERSION (UINT64_C(1) << 32)
#else
#define VERSION UINT64_C(0)
#endif

static _Atomic uint64_t head = 1;
static _Atomic uint32_t next[NODES + 1] = {0, 2, 0};
static atomic_int held[NODES + 1];

static uint64_t with(uint64_t old, uint32_t node)
{
    return (((old >> 32) << 32) + VERSION) | node;
}

static uint32_t pop(void)
{
    uint64_t old = atomic_load(&head);
    uint32_t node;
    do {
        node = (uint32_t)old;
        if (node == 0)
            return 0;
    } while (!atomic_compare_exchange_strong(&head, &old, with(old, atomic_load(&next[node]))));
    assert(atomic_fetch_add(&held[node], 1) == 0);
    return node;
}

static void push(uint32_t node)
{
    uint64_t old = atomic_load(&head);
    atomic_fetch_sub(&held[node], 1);
    do
        atomic_store(&next[node], (uint32_t)old);
    while (!atomic_compare_exchange_strong(&head, &old, with(old, node)));
}

static void *take_one(void *arg)
{
    pop();
    return arg;
}

static void *take_two_return_one(void *arg)
{
    uint32_t first = pop();
    pop();
    if (first != 0)
        push(first);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, take_one, NULL);
    pthread_create(&threads[1], NULL, take_two_return_one, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    while (pop() != 0)
        ;
    return 0;
}
