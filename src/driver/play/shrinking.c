#include "driver/play/shrinking_private.h"

#include <stdlib.h>
#include <string.h>

#define STEPS_FACTOR 10
#define LEAST_STEPS  1000
#define MOST_MS      2000

#define FEW 8 /* switches of which every subset is tried */

#define PROGRESS 0.3 /* seconds */

/* One round: a list of switches, of which a part is tried together with a rest that stays. */
struct round {
    struct darn_shrinking *shrinking;
    struct darn_switch *tried; /* room for all */
    const struct darn_switch *rest;
    size_t rest_count;
};

size_t darn_shrinking_made(const struct darn_player *player)
{
    uint64_t steps = player->block->result.steps;

    return (size_t)(steps < DARN_BLOCK_STEPS ? steps : DARN_BLOCK_STEPS);
}

static struct darn_switch_count count_of(const struct darn_shrinking *shrinking)
{
    return darn_switches_count(shrinking->player->block->steps, shrinking->steps);
}

bool darn_shrinking_look(struct darn_shrinking *shrinking, bool to_the_end)
{
    struct darn_player *player = shrinking->player;
    uint64_t met;

    shrinking->steps = darn_shrinking_made(player);
    if (to_the_end && !darn_player_shows(player, &shrinking->symptom))
        return false;
    if (!shrinking->cuts)
        return true;
    if (!darn_player_meets(player, shrinking->symptom.id, &met))
        return false;
    if (met + shrinking->tail < shrinking->steps)
        shrinking->steps = met + shrinking->tail;
    return true;
}

static bool is_over(const struct darn_shrinking *shrinking)
{
    return darn_clock() > shrinking->until ||
           (shrinking->stop && shrinking->stop(shrinking->context));
}

static void show_progress(struct darn_shrinking *shrinking)
{
    double now = darn_clock();

    if (now - shrinking->shown < PROGRESS)
        return;
    shrinking->shown = now;
    darn_tell_progress(shrinking->listener, "shrink: %llu runs, %llu switches are left",
                       (unsigned long long)shrinking->runs,
                       (unsigned long long)shrinking->after.switches);
}

static void put(struct darn_shrinking *shrinking, struct darn_schedule *schedule)
{
    if (shrinking->schedule != shrinking->first)
        darn_schedule_free(shrinking->schedule);
    shrinking->schedule = schedule;
}

/* Of a run that was not made up to its end, how it ends is known from the one that it came from. */
void darn_shrinking_keep(struct darn_shrinking *shrinking)
{
    struct darn_schedule *taken = darn_player_take(shrinking->player);
    char *ending = strdup(darn_verdict_word(shrinking->symptom.kind));

    if (!taken || !ending) {
        darn_schedule_free(taken);
        free(ending);
        return;
    }
    free(taken->ending);
    taken->ending = ending;
    if (taken->step_count > shrinking->steps)
        taken->step_count = shrinking->steps;
    put(shrinking, taken);
    shrinking->after = count_of(shrinking);
}

/* Makes the run of a script. PASSES: it does not show the bug, or is harder to follow than the best
 * so far. A run with fewer entries in the script may have more switches: going straight on makes
 * some of its own. */
static enum darn_ddmin_answer run_script(struct darn_shrinking *shrinking,
                                         const struct darn_switch *switches, size_t count,
                                         bool to_the_end)
{
    shrinking->schedule->max_steps = to_the_end ? shrinking->whole : shrinking->part;
    shrinking->runs++;
    if (!darn_player_script(shrinking->player, shrinking->schedule, switches, count))
        return DARN_DDMIN_STOP;
    return !darn_shrinking_look(shrinking, to_the_end) ||
                   darn_switch_count_less(shrinking->after, count_of(shrinking))
               ? DARN_DDMIN_PASSES
               : DARN_DDMIN_FAILS;
}

/* Where the threads meet is seen soon; most runs that do not meet need not be waited for. */
enum darn_ddmin_answer darn_shrinking_try(struct darn_shrinking *shrinking,
                                          const struct darn_switch *switches, size_t count)
{
    enum darn_ddmin_answer answer = DARN_DDMIN_FAILS;

    if (is_over(shrinking))
        return DARN_DDMIN_STOP;
    show_progress(shrinking);
    if (shrinking->cuts)
        answer = run_script(shrinking, switches, count, false);
    if (answer == DARN_DDMIN_FAILS && (!shrinking->cuts || shrinking->looks_on))
        answer = run_script(shrinking, switches, count, true);
    if (answer == DARN_DDMIN_FAILS)
        darn_shrinking_keep(shrinking);
    return answer;
}

static enum darn_ddmin_answer try_part(void *context, const struct darn_switch *switches,
                                       size_t count)
{
    struct round *round = context;

    memcpy(round->tried, switches, count * sizeof(*switches));
    if (round->rest_count)
        memcpy(round->tried + count, round->rest, round->rest_count * sizeof(*round->rest));
    return darn_shrinking_try(round->shrinking, round->tried, count + round->rest_count);
}

/* Shortens the first `part` of the list as far as the rest allows it; how many are left of all. */
static size_t shorten(struct darn_shrinking *shrinking, struct darn_switch *list, size_t part,
                      size_t count)
{
    struct round round = {
        .shrinking = shrinking,
        .tried = malloc((count + 1) * sizeof(*list)),
        .rest = list + part,
        .rest_count = count - part,
    };
    size_t left;

    if (!round.tried)
        return count;
    left = darn_ddmin(list, part, try_part, &round);
    memmove(list + left, list + part, (count - part) * sizeof(*list));
    free(round.tried);
    return left + count - part;
}

/* Every subset, the small ones first: two switches that need each other may both be left out. */
static void try_subsets(struct darn_shrinking *shrinking, const struct darn_switch *list,
                        size_t count)
{
    struct darn_switch part[FEW];

    for (size_t size = 1; size < count; size++) {
        for (unsigned set = 1; set < 1u << count; set++) {
            enum darn_ddmin_answer answer;
            size_t used = 0;

            if ((size_t)__builtin_popcount(set) != size)
                continue;
            for (size_t i = 0; i < count; i++)
                if (set >> i & 1)
                    part[used++] = list[i];
            answer = darn_shrinking_try(shrinking, part, used);
            if (answer != DARN_DDMIN_PASSES)
                return;
        }
    }
}

/* Preemptions alone first: each of them is what makes a schedule hard to follow. */
static void shrink_list(struct darn_shrinking *shrinking, struct darn_switch *list, size_t count)
{
    size_t preemptions = (size_t)shrinking->after.preemptions;

    if (preemptions && preemptions < count)
        count = shorten(shrinking, list, preemptions, count);
    count = shorten(shrinking, list, count, count);
    if (count <= FEW)
        try_subsets(shrinking, list, count);
}

/* One round from the switches of the schedule's own run, which was just made. */
static bool shrink_once(struct darn_shrinking *shrinking)
{
    struct darn_player *player = shrinking->player;
    struct darn_switch_count before = shrinking->after;
    size_t count;
    struct darn_switch *list = darn_switches_of(player->block->steps, shrinking->steps, &count);

    if (list && count <= DARN_BLOCK_SWITCHES &&
        darn_shrinking_try(shrinking, list, count) == DARN_DDMIN_FAILS)
        shrink_list(shrinking, list, count);
    free(list);
    return darn_switch_count_less(shrinking->after, before);
}

static bool replay(struct darn_shrinking *shrinking, bool to_the_end)
{
    shrinking->schedule->max_steps = to_the_end ? shrinking->whole : shrinking->part;
    shrinking->runs++;
    return darn_player_follow(shrinking->player, shrinking->schedule, 0) &&
           darn_shrinking_look(shrinking, to_the_end);
}

/* A part of a schedule may have a thread wait for ever: such runs need not be waited for as long as
 * others. */
static void limit_runs(struct darn_shrinking *shrinking)
{
    uint64_t steps = shrinking->player->block->result.steps * STEPS_FACTOR + LEAST_STEPS;
    uint32_t timeout = shrinking->player->judge.timeout_ms;

    if (shrinking->symptom.kind == DARN_VERDICT_HANG)
        return;
    if (!shrinking->whole || shrinking->whole > steps)
        shrinking->whole = steps;
    if (!timeout || timeout > MOST_MS)
        darn_server_set_timeout(shrinking->player->server, MOST_MS);
}

static void lift_limits(struct darn_shrinking *shrinking, uint64_t max_steps)
{
    shrinking->whole = max_steps;
    darn_server_set_timeout(shrinking->player->server, shrinking->player->judge.timeout_ms);
}

static bool shrink(struct darn_shrinking *shrinking)
{
    bool to_the_end = !shrinking->cuts || shrinking->looks_on;

    if (!replay(shrinking, to_the_end))
        return false;
    /* What is left out changes the run, and then more may be left out. */
    while (shrinking->after.switches && !is_over(shrinking) &&
           (shrink_once(shrinking) || darn_shrinking_bound(shrinking)))
        if (!replay(shrinking, to_the_end))
            return false;
    shrinking->in_time = !is_over(shrinking);
    return replay(shrinking, true);
}

/* Where a schedule is cut, runs are made up to where the threads have met. If the shortest one does
 * not lead to what the first led to, each is made up to its end; and if that does not help either,
 * the schedule stays whole. */
static bool shrink_some_way(struct darn_shrinking *shrinking)
{
    bool shrunk = false;

    shrinking->first = shrinking->schedule;
    for (int way = 0; way < 3 && !shrunk; way++) {
        put(shrinking, shrinking->first);
        shrinking->after = shrinking->before;
        shrinking->cuts = false;
        shrinking->looks_on = way > 0;
        if (way && !replay(shrinking, true))
            break;
        if (way < 2)
            darn_shrinking_cut(shrinking);
        shrinking->part = shrinking->steps * STEPS_FACTOR + LEAST_STEPS;
        shrunk = shrink(shrinking);
        if (!shrinking->cuts)
            break;
    }
    if (shrinking->first != shrinking->schedule)
        darn_schedule_free(shrinking->first);
    shrinking->first = NULL;
    return shrunk;
}

bool darn_shrink(struct darn_shrinking *shrinking)
{
    uint64_t max_steps = shrinking->schedule->max_steps;
    bool result;

    shrinking->runs = 0;
    shrinking->shown = darn_clock();
    shrinking->whole = max_steps;
    if (!replay(shrinking, true))
        return false;
    shrinking->before = shrinking->after = count_of(shrinking);
    limit_runs(shrinking);
    result = shrink_some_way(shrinking);
    if (result && !shrinking->symptom.met)
        darn_shrinking_find_essential(shrinking);
    lift_limits(shrinking, max_steps);
    darn_tell_progress(shrinking->listener, "%s", "");
    return result && replay(shrinking, true);
}
