/*
 * claim: nodes that travel through a lock-free stack are never reported
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:50/20 x 10
 * run: x 5
 * predict: hb
 * expect: none
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { ITEMS = 500 };

struct node {
    struct node *next;
    long value;
};

static _Atomic(struct node *) top;

static void *producer(void *arg)
{
    (void)arg;
    for (int i = 1; i <= ITEMS; i++) {
        struct node *node = malloc(sizeof(*node));
        node->value = i;
        node->next = atomic_load_explicit(&top, memory_order_relaxed);
        while (!atomic_compare_exchange_weak_explicit(&top, &node->next, node, memory_order_release,
                                                      memory_order_relaxed))
            continue;
    }
    return NULL;
}

/* The only consumer takes the whole stack at once, so no node can come back (no ABA). */
int main(void)
{
    pthread_t threads[2];
    long sum = 0, taken = 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, producer, NULL);
    while (taken < 2 * ITEMS) {
        struct node *list = atomic_exchange_explicit(&top, NULL, memory_order_acquire);
        if (list == NULL)
            sched_yield();
        while (list != NULL) {
            struct node *next = list->next;
            sum += list->value;
            taken++;
            free(list);
            list = next;
        }
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return sum != (long)ITEMS * (ITEMS + 1);
}
