/*
 * claim: a reader that announces its pointer and does not look again reads a reclaimed node
 * build: -O1
 * bug: assert
 * within: 20
 * fixed: yes
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    int value;
};

static struct node nodes[2] = {{1}, {2}};
static struct node *_Atomic head = &nodes[0];
static struct node *_Atomic hazard;

static void *read_head(void *arg)
{
    struct node *node = atomic_load(&head);
    atomic_store(&hazard, node);
#ifdef FIXED
    while (node != atomic_load(&head)) {
        node = atomic_load(&head);
        atomic_store(&hazard, node);
    }
#endif
    assert(node->value != 0);
    atomic_store(&hazard, NULL);
    return arg;
}

static void *replace_head(void *arg)
{
    struct node *old = atomic_exchange(&head, &nodes[1]);
    if (atomic_load(&hazard) != old)
        old->value = 0; /* reclaimed; else it is left for later */
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, read_head, NULL);
    pthread_create(&threads[1], NULL, replace_head, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
