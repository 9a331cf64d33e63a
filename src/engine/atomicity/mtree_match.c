/* The trees that are kept (mtree.h), and the pattern of theorem 2. */
#include <stdlib.h>
#include <string.h>

#include "engine/atomicity/mtree.h"
#include "engine/common/grow.h"

void darn_mtrees_free(struct darn_mtrees *trees)
{
    for (size_t i = 0; i < trees->count; i++)
        darn_mtree_free(&trees->all[i]);
    free(trees->all);
    free(trees->table);
    *trees = (struct darn_mtrees){NULL, 0, 0, 0, 0, NULL, 0, 0};
}

static uint64_t hash_of(const struct darn_mtree *tree)
{
    uint64_t hash = tree->nodes[0].hash ^ tree->unit * UINT64_C(0x94d049bb133111eb);

    return hash ^ hash >> 31;
}

static bool equal(const struct darn_mtree *a, const struct darn_mtree *b)
{
    if (a->unit != b->unit || a->node_count != b->node_count || a->use_count != b->use_count)
        return false;
    for (size_t i = 0; i < a->node_count; i++) {
        if (a->nodes[i].lock != b->nodes[i].lock || a->nodes[i].end != b->nodes[i].end)
            return false;
    }
    for (size_t i = 0; i < a->use_count; i++) {
        if (a->uses[i].variable != b->uses[i].variable || a->uses[i].node != b->uses[i].node ||
            a->uses[i].is_multiple != b->uses[i].is_multiple)
            return false;
    }
    return true;
}

/* Where an equal tree is, or would be. */
static size_t slot_of(const struct darn_mtrees *trees, const struct darn_mtree *tree)
{
    size_t mask = trees->table_count - 1, at = hash_of(tree) & mask;

    while (trees->table[at] && !equal(&trees->all[trees->table[at] - 1], tree))
        at = (at + 1) & mask;
    return at;
}

static void grow_table(struct darn_mtrees *trees)
{
    if (2 * (trees->count + 1) < trees->table_count)
        return;
    trees->table_count = trees->table_count ? 2 * trees->table_count : 256;
    free(trees->table);
    trees->table = darn_need_memory(calloc(trees->table_count, sizeof(*trees->table)));
    for (uint32_t i = 0; i < trees->count; i++) {
        size_t at = hash_of(&trees->all[i]) & (trees->table_count - 1);

        while (trees->table[at])
            at = (at + 1) & (trees->table_count - 1);
        trees->table[at] = i + 1;
    }
}

static void *copy_of(const void *from, size_t count, size_t item)
{
    void *copy = darn_need_memory(malloc((count + 1) * item));

    if (count)
        memcpy(copy, from, count * item);
    return copy;
}

bool darn_mtrees_keep(struct darn_mtrees *trees, const struct darn_mtree *tree)
{
    struct darn_mtree *kept;
    size_t slot;

    grow_table(trees);
    slot = slot_of(trees, tree);
    if (trees->table[slot])
        return false;
    if (trees->nodes + trees->uses + tree->node_count + tree->use_count > DARN_MTREES_MOST) {
        trees->dropped++;
        return false;
    }
    trees->all = darn_grow(trees->all, &trees->capacity, trees->count + 1, sizeof(*trees->all));
    kept = &trees->all[trees->count++];
    *kept = *tree;
    kept->table = NULL;
    kept->table_count = kept->table_used = 0;
    kept->nodes = copy_of(tree->nodes, tree->node_count, sizeof(*tree->nodes));
    kept->uses = copy_of(tree->uses, tree->use_count, sizeof(*tree->uses));
    trees->nodes += tree->node_count;
    trees->uses += tree->use_count;
    trees->table[slot] = (uint32_t)trees->count;
    return true;
}

size_t darn_mtrees_memory(const struct darn_mtrees *trees)
{
    return trees->capacity * sizeof(*trees->all) + trees->nodes * sizeof(struct darn_mnode) +
           trees->uses * sizeof(struct darn_muse) + trees->table_count * sizeof(*trees->table);
}

struct match {
    const struct darn_mtree *tree;
    const struct darn_mworld *world;
    const struct darn_mstep *turn; /* where the part of right-movers ended; NULL: it did not yet */
    const struct darn_mstep *wrong;
};

/* AcqA*Rel: everything in the section, and in those inside of it, is thread-local or read-only. */
static bool is_idle(const struct match *match, uint32_t node)
{
    const struct darn_mtree *tree = match->tree;

    for (uint32_t i = node; i < tree->nodes[node].end; i++) {
        const struct darn_mnode *one = &tree->nodes[i];

        for (uint32_t j = 0; j < one->uses; j++) {
            uint64_t variable = tree->uses[one->first_use + j].variable;

            if (!match->world->is_alone(match->world->context, variable))
                return false;
        }
    }
    return true;
}

/* A non-mover: there may be one, and it ends the part of right-movers. */
static void step_none(struct match *match, const struct darn_muse *use)
{
    if (match->turn)
        match->wrong = &use->step;
    else
        match->turn = &use->step;
    if (use->is_multiple)
        match->wrong = &use->step;
}

/* Accesses of a node first, then the sections inside: the answer is the same for every order. */
static uint32_t step_node(struct match *match, uint32_t at)
{
    const struct darn_mtree *tree = match->tree;
    const struct darn_mworld *world = match->world;
    const struct darn_mnode *node = &tree->nodes[at];
    bool moves = at && !world->is_both(world->context, node->lock);

    if (at && is_idle(match, at))
        return node->end;
    if (moves && match->turn)
        match->wrong = &node->step;
    for (uint32_t i = 0; i < node->uses && !match->wrong; i++) {
        const struct darn_muse *use = &tree->uses[node->first_use + i];

        if (world->races(world->context, use->variable))
            step_none(match, use);
    }
    for (uint32_t inner = at + 1; inner < node->end && !match->wrong;)
        inner = step_node(match, inner);
    if (moves && !match->turn)
        match->turn = &node->step;
    return node->end;
}

bool darn_mtree_is_atomic(const struct darn_mtree *tree, const struct darn_mworld *world,
                          const struct darn_mstep *steps[2])
{
    struct match match = {.tree = tree, .world = world};

    step_node(&match, 0);
    steps[0] = match.turn;
    steps[1] = match.wrong;
    return !match.wrong;
}

struct walk {
    struct match match;
    darn_mtree_visit *visit;
    void *context;
};

static void walk_use(const struct walk *walk, const struct darn_muse *use, bool is_idle)
{
    const struct darn_mworld *world = walk->match.world;
    enum darn_mover type = is_idle                                       ? DARN_MOVER_PASSED
                           : world->races(world->context, use->variable) ? DARN_MOVER_NONE
                                                                         : DARN_MOVER_BOTH;

    for (int i = 0; i < 1 + use->is_multiple; i++)
        walk->visit(walk->context, &use->step, type, false);
}

static uint32_t walk_node(const struct walk *walk, uint32_t at, bool is_passed)
{
    const struct darn_mtree *tree = walk->match.tree;
    const struct darn_mworld *world = walk->match.world;
    const struct darn_mnode *node = &tree->nodes[at];
    bool is_both = at && world->is_both(world->context, node->lock);

    is_passed = is_passed || (at && is_idle(&walk->match, at));
    if (at)
        walk->visit(walk->context, &node->step,
                    is_passed ? DARN_MOVER_PASSED
                    : is_both ? DARN_MOVER_BOTH
                              : DARN_MOVER_RIGHT,
                    false);
    for (uint32_t i = 0; i < node->uses; i++)
        walk_use(walk, &tree->uses[node->first_use + i], is_passed);
    for (uint32_t inner = at + 1; inner < node->end;)
        inner = walk_node(walk, inner, is_passed);
    if (at)
        walk->visit(walk->context, &node->step,
                    is_passed ? DARN_MOVER_PASSED
                    : is_both ? DARN_MOVER_BOTH
                              : DARN_MOVER_LEFT,
                    true);
    return node->end;
}

void darn_mtree_pattern(const struct darn_mtree *tree, const struct darn_mworld *world,
                        darn_mtree_visit *visit, void *context)
{
    struct walk walk = {{.tree = tree, .world = world}, visit, context};

    walk_node(&walk, 0, false);
}
