/*
 * Pointer chasing: a binary search tree and a linked list, both larger than the caches.
 *
 * Two threads look up random keys in a shared tree that nobody writes to any more, and each walks
 * and updates a list of its own whose order in memory is random. Almost all the time is spent
 * waiting for memory, so that a cheap check hides in the shadow of the misses.
 */
#include "bench.h"

enum { THREADS = 2, TREE_NODES = 1 << 19, LIST_NODES = 1 << 19 };

struct tree {
    uint64_t key, value;
    struct tree *left, *right;
};

struct item {
    struct item *next;
    uint64_t visits, weight;
    uint64_t padding[5]; /* one cache line per item */
};

struct result {
    _Alignas(64) uint64_t sum;
};

static struct tree *root;
static struct result result[THREADS];
static size_t lookups, laps;

static void tree_insert(struct tree *node)
{
    struct tree **link = &root;
    while (*link != NULL)
        link = node->key < (*link)->key ? &(*link)->left : &(*link)->right;
    *link = node;
}

static const struct tree *tree_find(uint64_t key)
{
    const struct tree *node = root;
    while (node != NULL && node->key != key)
        node = key < node->key ? node->left : node->right;
    return node;
}

/* A list that runs through all items of a block in random order (Sattolo's shuffle: one cycle). */
static struct item *list_make(uint64_t seed)
{
    struct item *block = bench_alloc(LIST_NODES * sizeof *block);
    uint32_t *order = bench_alloc(LIST_NODES * sizeof *order);

    for (uint32_t i = 0; i < LIST_NODES; i++)
        order[i] = i;
    for (uint32_t i = LIST_NODES - 1; i > 0; i--) {
        uint32_t other = (uint32_t)(bench_random(&seed) % i);
        uint32_t keep = order[i];
        order[i] = order[other];
        order[other] = keep;
    }
    for (uint32_t i = 0; i < LIST_NODES; i++) {
        block[i].next = &block[order[i]];
        block[i].weight = i;
    }
    free(order);
    return block;
}

static void *work(void *arg)
{
    size_t self = (uintptr_t)arg;
    uint64_t seed = bench_mix(self);
    struct item *item = list_make(seed);
    uint64_t sum = 0;

    for (size_t i = 0; i < lookups; i++) {
        const struct tree *node = tree_find(bench_mix(bench_random(&seed) % (TREE_NODES * 2)));
        sum += node != NULL ? node->value : 1;
    }
    for (size_t i = 0; i < laps * LIST_NODES; i++) {
        item->visits++;
        sum += item->visits * item->weight;
        item = item->next;
    }
    result[self].sum = sum;
    return NULL;
}

int main(int argc, char **argv)
{
    struct tree *nodes = bench_alloc(TREE_NODES * sizeof *nodes);
    uint64_t sum = 0;

    lookups = bench_scaled(argc, argv, 240000);
    laps = bench_scaled(argc, argv, 4);
    for (size_t i = 0; i < TREE_NODES; i++) {
        nodes[i].key = bench_mix(i);
        nodes[i].value = i;
        tree_insert(&nodes[i]);
    }
    bench_threads(THREADS, work);
    for (size_t i = 0; i < THREADS; i++)
        sum += result[i].sum;
    bench_print(sum);
    return 0;
}
