#include "search/search.h"

#include <stdlib.h>

#include "search/coverage.h"
#include "search/frontier.h"
#include "search/search_hold.h"
#include "search/know.h"
#include "search/orders.h"
#include "search/park.h"
#include "search/portfolio.h"
#include "base/random.h"
#include "search/rff.h"
#include "search/trail.h"
#include "search/walk.h"

#define DEPTH      3    /* of PCT */
#define SMALL      1000 /* runs of a systematic search */
#define CHANGES    16   /* of what is armed, after which a search starts anew */
/* At first something is learned from each run; later from those that show something new, and from
 * one out of so many. */
#define LEARN_ALL  64
#define LEARN_EACH 32

/* The origin of a task: the node of the frontier, which frontier, and the move of the portfolio. */
#define ORIGIN_NODE       ((1u << 20) - 1)
#define ORIGIN_GENERATION 20
#define ORIGIN_MOVE       24
static_assert(DARN_FRONTIER_NODES <= ORIGIN_NODE, "a node fits");

struct darn_search {
    struct darn_search_options options;
    uint64_t random;
    uint64_t told;
    struct darn_coverage coverage;
    struct darn_trail trail;
    struct darn_know know;
    struct darn_walk walk;
    struct darn_orders orders;
    struct darn_park park;
    struct darn_search_hold hold;
    struct darn_rff rff;
    struct darn_portfolio portfolio;
    struct darn_frontier *frontier; /* of CHESS and STATES */
    enum darn_state_grade grade;    /* of STATES */
    uint32_t generation;            /* of the frontier */
    uint32_t changes;               /* of what the steps of the program are */
    bool must_go_straight;          /* … which asks for a plain run */
    bool outdated;                  /* … which the frontier knows nothing of */
};

typedef bool planner(struct darn_search *search, struct darn_task *task, bool *later);

static bool plan_random(struct darn_search *search, struct darn_task *task, bool *later)
{
    (void)search, (void)later;
    task->strategy = DARN_SEARCH_RANDOM;
    task->plan.kind = DARN_STRATEGY_RANDOM;
    return true;
}

static bool plan_pos(struct darn_search *search, struct darn_task *task, bool *later)
{
    (void)search, (void)later;
    task->strategy = DARN_SEARCH_POS;
    task->plan.kind = DARN_STRATEGY_POS;
    return true;
}

/* Without any run nobody knows how long one is, and the plain one is as good as any. */
static bool plan_straight(struct darn_search *search, struct darn_task *task, bool *later)
{
    (void)search, (void)later;
    task->plan.kind = DARN_STRATEGY_STRAIGHT;
    return true;
}

static bool plan_pct(struct darn_search *search, struct darn_task *task, bool *later)
{
    uint32_t depth = search->options.depth;

    task->strategy = DARN_SEARCH_PCT;
    if (!search->told)
        return plan_straight(search, task, later);
    if (!depth)
        depth = search->options.kind == DARN_SEARCH_PCT ? DEPTH
                                                        : 2 + darn_random_below(&search->random, 3);
    darn_walk_pct(&search->coverage, depth, task);
    return true;
}

static bool plan_surw(struct darn_search *search, struct darn_task *task, bool *later)
{
    (void)later;
    task->strategy = DARN_SEARCH_SURW;
    darn_walk_surw(&search->walk, task);
    return true;
}

static bool plan_hold(struct darn_search *search, struct darn_task *task, bool *later)
{
    task->strategy = DARN_SEARCH_HOLD;
    if (!search->told)
        return plan_straight(search, task, later);
    return darn_hold_next(&search->hold, &search->know, task) || plan_pos(search, task, later);
}

static bool plan_park(struct darn_search *search, struct darn_task *task, bool *later)
{
    task->strategy = DARN_SEARCH_HOLD;
    return darn_hold_park(&search->hold, &search->know, &search->park, task) ||
           plan_hold(search, task, later);
}

static bool plan_mix(struct darn_search *search, struct darn_task *task, bool *later)
{
    task->strategy = DARN_SEARCH_HOLD;
    return darn_hold_mix(&search->hold, &search->know, &search->park, task) ||
           plan_hold(search, task, later);
}

/* All three ways to hold threads back, the one that needs no luck first. */
static bool plan_delays(struct darn_search *search, struct darn_task *task, bool *later)
{
    static planner *const ways[] = {plan_park, plan_hold, plan_park, plan_mix};

    if (!search->told)
        return plan_hold(search, task, later);
    return ways[(search->told - 1) % 4](search, task, later);
}

static bool plan_rff(struct darn_search *search, struct darn_task *task, bool *later)
{
    task->strategy = DARN_SEARCH_RFF;
    return darn_rff_next(&search->rff, &search->know, &search->coverage, task) ||
           plan_pos(search, task, later);
}

static uint32_t generation_bits(const struct darn_search *search)
{
    return (search->generation & 15) << ORIGIN_GENERATION;
}

static bool plan_chess(struct darn_search *search, struct darn_task *task, bool *later)
{
    task->strategy = DARN_SEARCH_CHESS;
    if (!darn_frontier_next(search->frontier, task, later))
        return false;
    task->origin |= generation_bits(search);
    return true;
}

/* False when there is no memory: then the old one stays. */
static bool renew_frontier(struct darn_search *search, enum darn_state_grade grade)
{
    bool bounded = search->options.kind == DARN_SEARCH_CHESS && search->options.bound;
    struct darn_frontier_options options = {.grade = grade,
                                            .bound = bounded ? search->options.bound : UINT32_MAX,
                                            .seed = darn_random(&search->random)};
    struct darn_frontier *frontier = darn_frontier_new(&options);

    if (!frontier)
        return false;
    darn_frontier_free(search->frontier);
    search->frontier = frontier;
    search->grade = grade;
    search->outdated = false;
    search->generation++;
    return true;
}

/* When nothing is left that looks different, it is looked at more closely: exactly at once, if
 * there was little. */
static bool plan_states(struct darn_search *search, struct darn_task *task, bool *later)
{
    task->strategy = DARN_SEARCH_STATES;
    while (!darn_frontier_next(search->frontier, task, later)) {
        bool small = darn_frontier_size(search->frontier) < SMALL;

        if (*later || search->grade == DARN_STATE_EXACT ||
            !renew_frontier(search, small ? DARN_STATE_EXACT : search->grade + 1))
            return false;
    }
    task->origin |= generation_bits(search);
    return true;
}

static bool plan_reverse(struct darn_search *search, struct darn_task *task, bool *later)
{
    return darn_orders_give(&search->orders.reverse, task) || plan_pos(search, task, later);
}

static bool plan_eager(struct darn_search *search, struct darn_task *task, bool *later)
{
    return darn_orders_give(&search->orders.eager, task) || plan_pos(search, task, later);
}

static bool plan_delay(struct darn_search *search, struct darn_task *task, bool *later)
{
    (void)search, (void)later;
    task->plan.kind = DARN_STRATEGY_DELAY;
    return true;
}

static planner *const moves[DARN_MOVES] = {
    [DARN_MOVE_DELAY] = plan_delay,     [DARN_MOVE_STRAIGHT] = plan_states,
    [DARN_MOVE_REVERSE] = plan_reverse, [DARN_MOVE_EAGER] = plan_eager,
    [DARN_MOVE_RANDOM] = plan_random,   [DARN_MOVE_PCT] = plan_pct,
    [DARN_MOVE_POS] = plan_pos,         [DARN_MOVE_SURW] = plan_surw,
    [DARN_MOVE_RFF] = plan_rff,         [DARN_MOVE_HOLD] = plan_hold,
    [DARN_MOVE_STATES] = plan_states,   [DARN_MOVE_PARK] = plan_park,
    [DARN_MOVE_MIX] = plan_mix,
};

static bool plan_portfolio(struct darn_search *search, struct darn_task *task, bool *later)
{
    bool fresh = darn_hold_fresh(&search->hold, &search->know);
    enum darn_move move = search->must_go_straight
                              ? DARN_MOVE_STRAIGHT
                              : darn_portfolio_choose(&search->portfolio, fresh);

    search->must_go_straight = false;
    task->strategy = DARN_SEARCH_PORTFOLIO;
    if (!moves[move](search, task, later)) {
        *later = false;
        plan_pos(search, task, later);
    }
    task->origin |= (uint32_t)move << ORIGIN_MOVE;
    return true;
}

static const struct {
    planner *plan;
    bool walks;      /* along the steps */
    bool systematic; /* has an end */
} kinds[DARN_SEARCHES] = {
    [DARN_SEARCH_PORTFOLIO] = {plan_portfolio, true, false},
    [DARN_SEARCH_RANDOM] = {plan_random, false, false},
    [DARN_SEARCH_PCT] = {plan_pct, false, false},
    [DARN_SEARCH_POS] = {plan_pos, false, false},
    [DARN_SEARCH_SURW] = {plan_surw, true, false},
    [DARN_SEARCH_CHESS] = {plan_chess, true, true},
    [DARN_SEARCH_RFF] = {plan_rff, true, false},
    [DARN_SEARCH_HOLD] = {plan_delays, true, false},
    [DARN_SEARCH_STATES] = {plan_states, true, true},
};

struct darn_search *darn_search_new(const struct darn_search_options *options)
{
    struct darn_search *search = calloc(1, sizeof(*search));
    bool exact = options->kind == DARN_SEARCH_CHESS;

    if (!search)
        return NULL;
    search->options = *options;
    search->random = darn_mix(options->seed + 1);
    search->walk.random = darn_random(&search->random);
    search->hold.random = darn_random(&search->random);
    search->rff.random = darn_random(&search->random);
    search->portfolio.random = darn_random(&search->random);
    search->portfolio.moves = !options->delays;
    if (!renew_frontier(search, exact ? DARN_STATE_EXACT : DARN_STATE_OF_PLACES)) {
        free(search);
        return NULL;
    }
    return search;
}

void darn_search_free(struct darn_search *search)
{
    if (!search)
        return;
    darn_coverage_free(&search->coverage);
    darn_trail_free(&search->trail);
    darn_know_free(&search->know);
    darn_walk_free(&search->walk);
    darn_orders_free(&search->orders);
    darn_park_free(&search->park);
    darn_hold_free(&search->hold);
    darn_rff_free(&search->rff);
    darn_frontier_free(search->frontier);
    free(search);
}

bool darn_search_next(struct darn_search *search, struct darn_task *task, bool *later)
{
    *task = (struct darn_task){.strategy = search->options.kind};
    *later = false;
    task->plan.seed = darn_random(&search->random);
    return kinds[search->options.kind].plan(search, task, later);
}

/* Of a long search few runs show anything that is not known. */
static bool is_worth_learning(const struct darn_search *search)
{
    return search->told <= LEARN_ALL || search->coverage.new_reads ||
           search->told % LEARN_EACH == 0;
}

/* Without a switch a script is the plain run, too. */
static bool is_plain(const struct darn_plan *plan)
{
    return plan->kind == DARN_STRATEGY_STRAIGHT ||
           (plan->kind == DARN_STRATEGY_SCRIPT && plan->switch_count == 0);
}

/* … and of the one that there is now. */
static bool is_of_frontier(const struct darn_search *search, const struct darn_task *task)
{
    bool systematic = task->strategy == DARN_SEARCH_STATES || task->strategy == DARN_SEARCH_CHESS;

    return systematic && ((task->origin >> ORIGIN_GENERATION ^ search->generation) & 15) == 0;
}

/* The run has shown that more sites share memory; from now on they are steps, too, and the numbers
 * of all steps are others. What was built on them starts anew. A large program may have news for
 * ever: in the end the numbers have to do as they are, unless the search promises to be complete.
 */
static void start_anew(struct darn_search *search)
{
    bool exact = search->options.kind == DARN_SEARCH_CHESS;

    if (search->changes++ >= CHANGES && !exact) {
        search->outdated = true;
        return;
    }
    renew_frontier(search, exact ? DARN_STATE_EXACT : DARN_STATE_OF_PLACES);
    darn_park_forget(&search->park);
    darn_orders_forget(&search->orders);
    search->must_go_straight = true;
}

bool darn_search_again(struct darn_search *search)
{
    bool exact = search->options.kind == DARN_SEARCH_CHESS;

    return kinds[search->options.kind].systematic &&
           renew_frontier(search, exact ? DARN_STATE_EXACT : DARN_STATE_OF_PLACES);
}

static void learn(struct darn_search *search, const struct darn_outcome *outcome)
{
    const struct darn_task *task = outcome->task;

    if (!darn_trail_read(&search->trail, outcome))
        return;
    if (is_of_frontier(search, task))
        darn_frontier_tell(search->frontier, task->origin & ORIGIN_NODE, &search->trail);
    if (is_worth_learning(search)) {
        darn_know_learn(&search->know, &search->trail);
        darn_walk_learn(&search->walk, outcome->result, &search->trail);
        darn_park_learn(&search->park, &search->trail, is_plain(&task->plan));
    }
    if (is_plain(&task->plan))
        darn_orders_learn(&search->orders, &search->trail);
    darn_rff_tell(&search->rff, &search->coverage, task);
    if (outcome->result->new_shared)
        start_anew(search);
}

void darn_search_tell(struct darn_search *search, const struct darn_outcome *outcome)
{
    search->told++;
    darn_coverage_add(&search->coverage, outcome);
    if (kinds[search->options.kind].walks)
        learn(search, outcome);
    darn_portfolio_tell(&search->portfolio, outcome->task->origin >> ORIGIN_MOVE,
                        &search->coverage);
}

void darn_search_stats(const struct darn_search *search, struct darn_search_stats *stats)
{
    *stats = search->coverage.stats;
    stats->exhausted =
        kinds[search->options.kind].systematic && !search->outdated &&
        (search->options.kind == DARN_SEARCH_CHESS || search->grade == DARN_STATE_EXACT) &&
        darn_frontier_exhausted(search->frontier);
}
