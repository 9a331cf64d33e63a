/* The trees that are kept (mtree.h), and the pattern of theorem 2. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "engine/atomicity/mtree.h"
#include "base/grow.h"

void darn_mtrees_free(struct darn_mtrees *trees)
{
    for (size_t i = 0; i < trees->count; i++)
        darn_mtree_free(&trees->all[i]);
    free(trees->all);
    darn_htable_free(&trees->table);
    *trees = (struct darn_mtrees){.all = NULL};
}

static uint32_t hash_tree(const struct darn_mtree *tree)
{
    return darn_spread(darn_fold(tree->unit, tree->nodes[0].hash));
}

static bool equal_trees(const struct darn_mtree *a, const struct darn_mtree *b)
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

static bool is_kept(const struct darn_mtrees *trees, uint32_t hash, const struct darn_mtree *tree)
{
    size_t at = hash;
    uint32_t known;

    while ((known = darn_htable_next(&trees->table, hash, &at)) &&
           !equal_trees(&trees->all[known - 1], tree))
        continue;
    return known;
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
    uint32_t hash = hash_tree(tree);
    struct darn_mtree *kept;

    if (is_kept(trees, hash, tree))
        return false;
    if (trees->nodes + trees->uses + tree->node_count + tree->use_count > DARN_MTREES_MOST) {
        trees->dropped++;
        return false;
    }
    trees->all = darn_grow(trees->all, &trees->capacity, trees->count + 1, sizeof(*trees->all));
    kept = &trees->all[trees->count++];
    *kept = *tree;
    kept->table = (struct darn_htable){NULL, 0, 0};
    kept->nodes = copy_of(tree->nodes, tree->node_count, sizeof(*tree->nodes));
    kept->uses = copy_of(tree->uses, tree->use_count, sizeof(*tree->uses));
    trees->nodes += tree->node_count;
    trees->uses += tree->use_count;
    darn_htable_add(&trees->table, hash, (uint32_t)trees->count);
    return true;
}

size_t darn_mtrees_memory(const struct darn_mtrees *trees)
{
    return trees->capacity * sizeof(*trees->all) + trees->nodes * sizeof(struct darn_mnode) +
           trees->uses * sizeof(struct darn_muse) + darn_htable_memory(&trees->table);
}

struct match {
    const struct darn_mtree *tree;
    const struct darn_mworld *world;
    const struct darn_mstep
        *commit; /* where the part of right-movers ended; NULL: it did not yet */
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
    if (match->commit)
        match->wrong = &use->step;
    else
        match->commit = &use->step;
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
    if (moves && match->commit)
        match->wrong = &node->step;
    for (uint32_t i = 0; i < node->uses && !match->wrong; i++) {
        const struct darn_muse *use = &tree->uses[node->first_use + i];

        if (world->races(world->context, use->variable))
            step_none(match, use);
    }
    for (uint32_t inner = at + 1; inner < node->end && !match->wrong;)
        inner = step_node(match, inner);
    if (moves && !match->commit)
        match->commit = &node->step;
    return node->end;
}

bool darn_mtree_is_atomic(const struct darn_mtree *tree, const struct darn_mworld *world,
                          const struct darn_mstep *steps[2])
{
    struct match match = {.tree = tree, .world = world};

    step_node(&match, 0);
    steps[0] = match.commit;
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
