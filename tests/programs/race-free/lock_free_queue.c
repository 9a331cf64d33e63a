/*
 * claim: values that travel through a Michael-Scott queue are never reported
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

enum { ITEMS = 400, NODES = 2 * ITEMS + 1 };

/* Nodes come from an array and are never reused: reclamation is another subject. */
static struct node {
    _Atomic(struct node *) next;
    long value;
} nodes[NODES];
static atomic_int used = 1;
static _Atomic(struct node *) head = &nodes[0], tail = &nodes[0];
static atomic_long sum;
static atomic_int taken;

static void *enqueue(void *arg)
{
    (void)arg;
    for (int i = 1; i <= ITEMS; i++) {
        struct node *node = &nodes[atomic_fetch_add(&used, 1)];
        node->value = i;
        for (;;) {
            struct node *last = atomic_load(&tail), *next = atomic_load(&last->next);
            if (next != NULL) {
                atomic_compare_exchange_strong(&tail, &last, next);
                continue;
            }
            if (atomic_compare_exchange_strong(&last->next, &next, node)) {
                atomic_compare_exchange_strong(&tail, &last, node);
                break;
            }
        }
    }
    return NULL;
}

static void *dequeue(void *arg)
{
    (void)arg;
    while (atomic_load(&taken) < 2 * ITEMS) {
        struct node *first = atomic_load(&head), *next = atomic_load(&first->next);
        if (next == NULL) {
            sched_yield();
            continue;
        }
        long value = next->value;
        if (atomic_compare_exchange_strong(&head, &first, next)) {
            atomic_fetch_add(&sum, value);
            atomic_fetch_add(&taken, 1);
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, i % 2 ? dequeue : enqueue, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return sum != (long)ITEMS * (ITEMS + 1);
}
