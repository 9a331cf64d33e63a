#include "engine/atomicity/mtree.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"

void darn_mtree_free(struct darn_mtree *tree)
{
    free(tree->nodes);
    free(tree->uses);
    darn_htable_free(&tree->table);
    *tree = (struct darn_mtree){.is_open = false};
}

static uint64_t hash_use(const struct darn_muse *use)
{
    return darn_mix_two(use->is_multiple, use->variable);
}

static struct darn_mnode *add_node(struct darn_mtree *tree, uint64_t lock)
{
    struct darn_mnode *node;

    tree->nodes =
        darn_grow(tree->nodes, &tree->node_capacity, tree->node_count + 1, sizeof(*tree->nodes));
    node = &tree->nodes[tree->node_count];
    *node = (struct darn_mnode){.lock = lock, .hash = darn_fold(1, lock), .parent = tree->now};
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
    tree->now = 0;
    darn_htable_clear(&tree->table);
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

static uint32_t hash_place(uint32_t node, uint64_t variable)
{
    return darn_spread(darn_fold(node, variable));
}

static void take_back_use(struct darn_mtree *tree)
{
    const struct darn_muse *use = &tree->uses[tree->use_count - 1];

    darn_htable_remove(&tree->table, hash_place(use->node, use->variable),
                       (uint32_t)tree->use_count--);
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
            take_back_use(tree);
        tree->node_count = at;
        return;
    }
    parent->hash = darn_fold(parent->hash, node->hash);
}

void darn_mtree_leave(struct darn_mtree *tree, uint64_t lock)
{
    uint32_t at = tree->now;

    while (at && tree->nodes[at].lock != lock)
        at = tree->nodes[at].parent;
    while (at && tree->now >= at)
        close_innermost(tree);
}

/* The use of the variable in the innermost node; NULL: none. */
static struct darn_muse *find_use(const struct darn_mtree *tree, uint32_t hash, uint64_t variable)
{
    size_t at = hash;
    uint32_t known;

    while ((known = darn_htable_next(&tree->table, hash, &at))) {
        struct darn_muse *use = &tree->uses[known - 1];

        if (use->variable == variable && use->node == tree->now)
            return use;
    }
    return NULL;
}

void darn_mtree_access(struct darn_mtree *tree, uint64_t variable, const struct darn_mstep *step)
{
    struct darn_mnode *node = &tree->nodes[tree->now];
    uint32_t hash = hash_place(tree->now, variable);
    struct darn_muse *use = find_use(tree, hash, variable);

    if (use) {
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
    darn_htable_add(&tree->table, hash, (uint32_t)tree->use_count);
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
           darn_htable_memory(&tree->table);
}
