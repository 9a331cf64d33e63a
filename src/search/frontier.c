#include "search/frontier.h"

#include <stdlib.h>

#include "search/guess.h"
#include "base/random.h"

#define CLASSES 32         /* of threads that are alike, at one state */
#define STATES  (1u << 21) /* that are remembered */

/* A deviation: the script of the parent, and this switch at its end. Number 0 is the root, the run
 * without any. */
struct node {
    uint32_t parent;
    uint32_t thread, own, to;
    uint32_t step; /* the number of the first step that differs from the parent's run */
    uint32_t cost : 31;
    uint32_t wakes : 1;
    struct darn_state_glance ahead; /* where the step leads to; all 0: nobody knows */
};

struct darn_frontier {
    struct darn_frontier_options options;
    struct darn_array nodes;  /* that are run or were */
    struct darn_array levels; /* of arrays of nodes to come, by cost */
    uint32_t level;           /* that of the last node that was taken */
    size_t waiting;           /* in the levels */
    uint32_t under_way;
    bool started, forgetful;
    struct darn_map seen;
    struct darn_guess guess;
    struct darn_search_state state;
    uint64_t random;
};

/* Where a run stands: before step `at`. */
struct spot {
    const struct darn_trail *trail;
    uint32_t node, cost, at;
    uint32_t last; /* index of the step before that is no wake */
    uint32_t made; /* threads, so far */
    bool idle;     /* since the last switch nothing has been done that others could see */
    uint32_t ahead[DARN_SLOTS]; /* index + 1 of the next step of each slot */
};

static struct darn_array *level_of(struct darn_frontier *frontier, uint32_t cost)
{
    darn_array_reach(&frontier->levels, (size_t)cost + 1, sizeof(struct darn_array));
    return (struct darn_array *)frontier->levels.at + cost;
}

struct darn_frontier *darn_frontier_new(const struct darn_frontier_options *options)
{
    struct darn_frontier *frontier = calloc(1, sizeof(*frontier));

    if (!frontier)
        return NULL;
    frontier->options = *options;
    frontier->random = options->seed;
    darn_array_add(&frontier->nodes, sizeof(struct node));
    return frontier;
}

void darn_frontier_free(struct darn_frontier *frontier)
{
    if (!frontier)
        return;
    for (uint32_t i = 0; i < frontier->levels.count; i++)
        darn_array_free(level_of(frontier, i));
    darn_array_free(&frontier->levels);
    darn_array_free(&frontier->nodes);
    darn_map_free(&frontier->seen);
    darn_guess_free(&frontier->guess);
    darn_state_free(&frontier->state);
    free(frontier);
}

static void add_node(struct darn_frontier *frontier, const struct node *node)
{
    struct node *entry;

    if (node->cost > frontier->options.bound)
        return;
    if (frontier->waiting + frontier->nodes.count >= DARN_FRONTIER_NODES) {
        frontier->forgetful = true;
        return;
    }
    entry = darn_array_add(level_of(frontier, node->cost), sizeof(*entry));
    *entry = *node;
    frontier->waiting++;
}

static bool is_seen(const struct darn_frontier *frontier, uint64_t state)
{
    return darn_map_get(&frontier->seen, state, 0) != 0;
}

/* Whether the first step of the deviation may lead to a state that was not seen yet. Of the rough
 * grades this is a guess. */
static bool is_promising(const struct darn_frontier *frontier, const struct node *node)
{
    const struct darn_guesses *guesses;

    if (!node->ahead.rest && !node->ahead.context)
        return true;
    if (frontier->options.grade == DARN_STATE_EXACT)
        return !is_seen(frontier, darn_mix_two(node->ahead.rest, node->to));
    guesses = darn_guess_of(&frontier->guess, node->ahead.context);
    if (!guesses || guesses->count == DARN_GUESSES)
        return true;
    for (uint32_t i = 0; i < guesses->count; i++) {
        if (!is_seen(frontier, node->ahead.rest + guesses->shares[i]))
            return true;
    }
    return false;
}

/* A random node of the lowest cost: neighbours in the order of the steps lead to much the same.
 * False when there is none. */
static bool draw(struct darn_frontier *frontier, struct node *node)
{
    uint32_t cost = 0, i;
    struct darn_array *level;
    struct node *nodes;

    while (cost < frontier->levels.count && !level_of(frontier, cost)->count)
        cost++;
    if (cost == frontier->levels.count)
        return false;
    /* A run that is under way may yet show the same state at a lower cost. */
    if (frontier->options.grade == DARN_STATE_EXACT && cost > frontier->level &&
        frontier->under_way)
        return false;
    level = level_of(frontier, cost);
    nodes = level->at;
    i = darn_random_below(&frontier->random, (uint32_t)level->count);
    *node = nodes[i];
    nodes[i] = nodes[--level->count];
    frontier->waiting--;
    frontier->level = cost;
    return true;
}

/* The number of a node to run, or 0 when there is none. */
static uint32_t take(struct darn_frontier *frontier)
{
    struct node drawn, *node;

    do {
        if (!draw(frontier, &drawn))
            return 0;
    } while (!is_promising(frontier, &drawn));
    node = darn_array_add(&frontier->nodes, sizeof(*node));
    *node = drawn;
    return (uint32_t)frontier->nodes.count - 1;
}

static bool write_script(const struct darn_frontier *frontier, uint32_t number,
                         struct darn_task *task)
{
    const struct node *nodes = frontier->nodes.at;
    uint32_t count = 0;

    for (uint32_t i = number; i; i = nodes[i].parent)
        count++;
    task->plan.kind = DARN_STRATEGY_SCRIPT;
    task->plan.switch_count = count;
    task->switches = count ? malloc(count * sizeof(*task->switches)) : NULL;
    if (count && !task->switches)
        return false;
    for (uint32_t i = number; i; i = nodes[i].parent) {
        task->switches[--count] = (struct darn_switch){.thread = nodes[i].thread,
                                                       .own = nodes[i].own,
                                                       .to = nodes[i].to,
                                                       .wakes = nodes[i].wakes};
    }
    return true;
}

bool darn_frontier_next(struct darn_frontier *frontier, struct darn_task *task, bool *later)
{
    uint32_t number = 0;

    *later = false;
    if (frontier->started)
        number = take(frontier);
    if (frontier->started && !number) {
        *later = frontier->under_way > 0;
        return false;
    }
    if (!write_script(frontier, number, task)) {
        frontier->forgetful = true;
        return false;
    }
    frontier->started = true;
    frontier->under_way++;
    task->origin = number;
    return true;
}

/* What the script can say here: after the step `last`, the thread goes on that is about to make the
 * step `instead`. */
static void deviate(struct darn_frontier *frontier, const struct spot *spot,
                    const struct darn_step *instead)
{
    const struct darn_trail *trail = spot->trail;
    const struct darn_step *last = &trail->steps[spot->last], *step = &trail->steps[spot->at];
    bool wakes = step->op == DARN_STEP_WAKE;
    const struct darn_step *pending = darn_trail_after(trail, spot->last);
    struct node node = {.parent = spot->node,
                        .thread = last->thread,
                        .own = trail->own[spot->last] + !wakes,
                        .to = instead->thread,
                        .step = spot->at,
                        .cost = spot->cost,
                        .wakes = wakes};
    bool could = pending && step->enabled >> (last->slot & 63) & 1;
    bool gave_way = pending && darn_step_gives_way(pending);
    bool preempts = could && (instead->thread != last->thread) != gave_way && !spot->idle && !wakes;

    if (!wakes)
        node.ahead = darn_state_glance(&frontier->state, instead);

    node.cost += preempts || frontier->options.grade != DARN_STATE_EXACT;
    add_node(frontier, &node);
}

/* Whether the step commutes with all that others can do meanwhile: threads come into being, end and
 * are waited for, but nobody could see when. A thread that somebody cancels ends at any of its
 * steps. */
static bool is_private(const struct darn_trail *trail, uint32_t i)
{
    const struct darn_step *step = &trail->steps[i];

    if (trail->cancelled[step->thread] || step->op == DARN_STEP_CANCEL)
        return false;
    if (step->op == DARN_STEP_FINISH)
        return false; /* nobody does anything after it */
    return !step->object || step->op == DARN_STEP_CREATE || step->op == DARN_STEP_JOIN ||
           step->op == DARN_STEP_DETACH || step->op == DARN_STEP_EXIT;
}

/* Where such a step is made, to leave the run before it is the same as to leave it after that, and
 * costs no more (`idle`). */
static bool is_pointless(const struct spot *spot)
{
    return is_private(spot->trail, spot->at) && !darn_trail_is_wake(spot->trail, spot->at);
}

static uint64_t class_of(const struct darn_frontier *frontier, const struct darn_trail *trail,
                         uint32_t i)
{
    const struct darn_step *step = &trail->steps[i], *after = darn_trail_after(trail, i);

    /* All threads start alike; what they are shows in their first step. */
    if (step->op == DARN_STEP_START && after)
        step = after;
    return frontier->options.grade == DARN_STATE_OF_PLACES
               ? step->place
               : darn_mix_two(step->place, step->object);
}

/* Of threads that are alike, unless the search is exact, one is enough: here that of step `i`. */
static bool is_new_class(const struct darn_frontier *frontier, const struct darn_trail *trail,
                         uint32_t i, uint64_t *classes, uint32_t *count)
{
    uint64_t class = class_of(frontier, trail, i);

    if (frontier->options.grade == DARN_STATE_EXACT)
        return true;
    for (uint32_t i = 0; i < *count; i++) {
        if (classes[i] == class)
            return false;
    }
    if (*count == CLASSES)
        return false;
    classes[(*count)++] = class;
    return true;
}

/* All who could have gone on instead. Of more than 64 slots the mask does not tell which of those
 * that share a bit; a deviation to one that cannot go on costs a run and does no harm. */
static void deviate_everywhere(struct darn_frontier *frontier, const struct spot *spot)
{
    const struct darn_trail *trail = spot->trail;
    const struct darn_step *step = &trail->steps[spot->at];
    bool wakes = step->op == DARN_STEP_WAKE;
    uint64_t classes[CLASSES];
    uint32_t count = 0;

    if (!wakes)
        is_new_class(frontier, trail, spot->at, classes, &count);
    for (uint32_t slot = 0; slot < trail->slots; slot++) {
        const struct darn_step *other;

        if (!(step->enabled >> (slot & 63) & 1) || !spot->ahead[slot])
            continue;
        other = &trail->steps[spot->ahead[slot] - 1];
        if (other->thread == step->thread || other->thread >= spot->made)
            continue;
        if (other->thread == trail->steps[spot->last].thread && other->op == DARN_STEP_YIELD &&
            frontier->options.grade != DARN_STATE_EXACT)
            continue; /* it waits for others */
        if (wakes || is_new_class(frontier, trail, spot->ahead[slot] - 1, classes, &count))
            deviate(frontier, spot, other);
    }
}

/* Whether the run is here for the first time of all. */
static bool is_new(struct darn_frontier *frontier, const struct spot *spot)
{
    const struct darn_step *last = &spot->trail->steps[spot->last];
    uint64_t key = darn_state_now(&frontier->state);
    bool added;

    /* How many preemptions lead on from here depends on who ran last. */
    if (frontier->options.grade == DARN_STATE_EXACT)
        key = darn_mix_two(key, last->thread);
    if (darn_trail_is_wake(spot->trail, spot->at))
        key = darn_mix_two(key, DARN_STEP_WAKE);
    if (frontier->seen.count >= STATES) {
        frontier->forgetful = true;
        return false;
    }
    *darn_map_at(&frontier->seen, key, &added) = 1;
    return added;
}

static void start_spot(struct spot *spot, const struct darn_frontier *frontier, uint32_t node,
                       const struct darn_trail *trail)
{
    spot->trail = trail;
    spot->node = node;
    spot->cost = ((const struct node *)frontier->nodes.at)[node].cost;
    spot->last = 0;
    spot->made = 1;
    spot->idle = true;
    for (uint32_t slot = 0; slot < trail->slots; slot++)
        spot->ahead[slot] = trail->first[slot];
}

/* False when all that comes is known. */
static bool look(struct darn_frontier *frontier, const struct spot *spot)
{
    const struct darn_step *step = &spot->trail->steps[spot->at];

    if (!is_new(frontier, spot))
        return frontier->options.grade != DARN_STATE_EXACT;
    if (!(step->flags & DARN_STEP_ALONE) && !is_pointless(spot))
        deviate_everywhere(frontier, spot);
    return true;
}

/* The step that the run has made here. */
static void make(struct darn_frontier *frontier, struct spot *spot)
{
    const struct darn_trail *trail = spot->trail;
    const struct darn_step *step = &trail->steps[spot->at];
    bool wakes = darn_trail_is_wake(trail, spot->at);
    bool guesses = !wakes && frontier->options.grade != DARN_STATE_EXACT;
    uint64_t context = guesses ? darn_state_glance(&frontier->state, step).context : 0;

    darn_state_step(&frontier->state, trail, spot->at);
    if (guesses)
        darn_guess_note(&frontier->guess, context,
                        darn_state_share(&frontier->state, step->thread));
    if (wakes)
        return;
    spot->made += step->op == DARN_STEP_CREATE;
    if (step->thread >= spot->made)
        spot->made = step->thread + 1;
    spot->idle = is_private(trail, spot->at) &&
                 (spot->idle || step->thread != trail->steps[spot->last].thread);
    spot->ahead[step->slot % DARN_SLOTS] = trail->next[spot->at];
    spot->last = spot->at;
}

void darn_frontier_tell(struct darn_frontier *frontier, uint32_t origin,
                        const struct darn_trail *trail)
{
    uint32_t from = ((const struct node *)frontier->nodes.at)[origin].step;
    struct spot spot;

    frontier->under_way--;
    darn_state_begin(&frontier->state, frontier->options.grade, trail);
    start_spot(&spot, frontier, origin, trail);
    for (uint32_t i = 0; i < trail->count; i++) {
        spot.at = i;
        /* Up to `from` the run was that of the parent. */
        if (i > from && !look(frontier, &spot))
            break;
        make(frontier, &spot);
    }
}

size_t darn_frontier_size(const struct darn_frontier *frontier)
{
    return frontier->nodes.count;
}

bool darn_frontier_exhausted(const struct darn_frontier *frontier)
{
    return frontier->started && !frontier->waiting && !frontier->under_way && !frontier->forgetful;
}
