#include "engine/atomicity/mtree.h"

#include <stdlib.h>
#include <string.h>

#include "engine/common/grow.h"

void darn_mtree_free(struct darn_mtree *tree)
{
    free(tree->nodes);
    free(tree->uses);
    free(tree->table);
    *tree = (struct darn_mtree){.is_open = false};
}

static uint64_t mix(uint64_t hash, uint64_t what)
{
    hash = (hash ^ what) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t hash_use(const struct darn_muse *use)
{
    return mix(mix(use->is_multiple, use->variable), UINT64_C(0xbf58476d1ce4e5b9));
}

static struct darn_mnode *add_node(struct darn_mtree *tree, uint64_t lock)
{
    struct darn_mnode *node;

    tree->nodes =
        darn_grow(tree->nodes, &tree->node_capacity, tree->node_count + 1, sizeof(*tree->nodes));
    node = &tree->nodes[tree->node_count];
    *node = (struct darn_mnode){
        .lock = lock, .hash = mix(1, lock), .parent = tree->now, .serial = ++tree->serials};
    tree->now = (uint32_t)tree->node_count++;
    return node;
}

void darn_mtree_begin(struct darn_mtree *tree, uint32_t thread, uint32_t unit)
{
    tree->thread = thread;
    tree->unit = unit;
    tree->is_open = true;
    tree->is_cut = false;
    tree->node_count = tree->use_count = 0;
    tree->now = tree->serials = 0;
    if (tree->table_used)
        memset(tree->table, 0, tree->table_count * sizeof(*tree->table));
    tree->table_used = 0;
    add_node(tree, 0);
}

void darn_mtree_enter(struct darn_mtree *tree, uint64_t lock, const struct darn_mstep *step)
{
    if (tree->node_count + tree->use_count >= DARN_MTREE_MOST) {
        tree->is_cut = true;
        return;
    }
    add_node(tree, lock)->step = *step;
}

/* The last node before `before` that has the same parent. */
static uint32_t sibling_before(const struct darn_mtree *tree, uint32_t before, uint32_t parent)
{
    for (uint32_t at = before; at-- > parent + 1;) {
        if (tree->nodes[at].parent == parent)
            return at;
    }
    return 0;
}

/* Whether the two sections before it are equal to the one that has just ended. */
static bool is_third(const struct darn_mtree *tree, uint32_t node)
{
    uint32_t parent = tree->nodes[node].parent;
    uint32_t one = sibling_before(tree, node, parent);
    uint32_t two = one ? sibling_before(tree, one, parent) : 0;

    return two && tree->nodes[one].hash == tree->nodes[node].hash &&
           tree->nodes[two].hash == tree->nodes[node].hash;
}

static void close_innermost(struct darn_mtree *tree)
{
    uint32_t at = tree->now;
    struct darn_mnode *node = &tree->nodes[at];
    struct darn_mnode *parent = &tree->nodes[node->parent];

    node->end = (uint32_t)tree->node_count;
    tree->now = node->parent;
    if (is_third(tree, at)) {
        while (tree->use_count && tree->uses[tree->use_count - 1].node >= at)
            tree->use_count--;
        tree->node_count = at;
        return;
    }
    parent->hash = mix(parent->hash, node->hash);
}

void darn_mtree_leave(struct darn_mtree *tree, uint64_t lock)
{
    uint32_t at = tree->now;

    while (at && tree->nodes[at].lock != lock)
        at = tree->nodes[at].parent;
    while (at && tree->now >= at)
        close_innermost(tree);
}

static size_t slot_of(const struct darn_mtree *tree, uint32_t serial, uint64_t variable)
{
    size_t mask = tree->table_count - 1;
    size_t at = darn_spread(mix(serial, variable)) & mask;

    while (tree->table[at]) {
        uint32_t use = tree->table[at] - 1;

        /* What was taken back leaves its slot behind. */
        if (use < tree->use_count && tree->uses[use].variable == variable &&
            tree->nodes[tree->uses[use].node].serial == serial)
            break;
        at = (at + 1) & mask;
    }
    return at;
}

static void grow_table(struct darn_mtree *tree)
{
    if (2 * (tree->table_used + 1) < tree->table_count)
        return;
    if (4 * (tree->use_count + 1) >= tree->table_count)
        tree->table_count = tree->table_count ? 2 * tree->table_count : 64;
    free(tree->table);
    tree->table = darn_need_memory(calloc(tree->table_count, sizeof(*tree->table)));
    tree->table_used = tree->use_count;
    for (uint32_t i = 0; i < tree->use_count; i++) {
        const struct darn_muse *use = &tree->uses[i];

        tree->table[slot_of(tree, tree->nodes[use->node].serial, use->variable)] = i + 1;
    }
}

void darn_mtree_access(struct darn_mtree *tree, uint64_t variable, const struct darn_mstep *step)
{
    struct darn_mnode *node = &tree->nodes[tree->now];
    struct darn_muse *use;
    size_t slot;

    grow_table(tree);
    slot = slot_of(tree, node->serial, variable);
    if (tree->table[slot]) {
        use = &tree->uses[tree->table[slot] - 1];
        if (use->is_multiple)
            return;
        node->hash -= hash_use(use);
        use->is_multiple = true;
        node->hash += hash_use(use);
        return;
    }
    if (tree->node_count + tree->use_count >= DARN_MTREE_MOST) {
        tree->is_cut = true;
        return;
    }
    tree->uses =
        darn_grow(tree->uses, &tree->use_capacity, tree->use_count + 1, sizeof(*tree->uses));
    use = &tree->uses[tree->use_count++];
    *use = (struct darn_muse){.variable = variable, .node = tree->now, .step = *step};
    tree->table[slot] = (uint32_t)tree->use_count;
    tree->table_used++;
    node->hash += hash_use(use);
}

static int compare_uses(const void *left, const void *right)
{
    const struct darn_muse *a = left, *b = right;

    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    return (a->variable > b->variable) - (a->variable < b->variable);
}

void darn_mtree_end(struct darn_mtree *tree)
{
    while (tree->now)
        close_innermost(tree);
    tree->nodes[0].end = (uint32_t)tree->node_count;
    tree->is_open = false;
    if (tree->use_count)
        qsort(tree->uses, tree->use_count, sizeof(*tree->uses), compare_uses);
    for (uint32_t i = 0, use = 0; i < tree->node_count; i++) {
        tree->nodes[i].first_use = use;
        while (use < tree->use_count && tree->uses[use].node == i)
            use++;
        tree->nodes[i].uses = use - tree->nodes[i].first_use;
    }
}

size_t darn_mtree_memory(const struct darn_mtree *tree)
{
    return tree->node_capacity * sizeof(*tree->nodes) + tree->use_capacity * sizeof(*tree->uses) +
           tree->table_count * sizeof(*tree->table);
}
