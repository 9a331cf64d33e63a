/*
 * The beginning of an exploration: the servers, and what is armed in them.
 */
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "driver/explore/exploration.h"

/* At most; it ends as soon as nothing new comes. Where the search learns as it goes one is enough,
 * in which no thread is interrupted: no schedule is tried that would not be counted. It may be one
 * of the search itself (explore_learn.c). */
#define LEARNING_RUNS 16
#define STEPS_FACTOR  10 /* a run of so many times the usual length is cut off at the earliest */
#define MOST_STEPS    UINT64_C(10000000)
#define MOST_MS       60000
#define ENDLESS_MS    2000
#define STILL_MS      300
#define LEARN_SELDOM  8
#define MOST_OF_TIME  0.2 /* goes into one run that may come to an end, or may not */

/* To look at so many accesses takes about a third of what the start and the end of a run take, and
 * one step as long as so many of them. */
#define CHEAP          4000
#define CHEAP_FOR_STEP 40

/* The core of a job. A job that is moved from core to core hands its turns over more slowly. */
static int choose_core(uint32_t job, uint64_t jobs)
{
    int count, start, core = 0;
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof(set), &set))
        return -1;
    count = CPU_COUNT(&set);
    /* With fewer jobs than cores, begin where the system has put us: another darn that does the
     * same is then likely to be somewhere else. */
    start = jobs < (uint64_t)count ? sched_getcpu() : 0;
    for (int at = (start + (int)job) % count; core < CPU_SETSIZE; core++)
        if (CPU_ISSET(core, &set) && at-- == 0)
            return core;
    return -1;
}

static int start_player(struct darn_exploration *exploration)
{
    const struct darn_explore_options *wanted = exploration->options;
    struct darn_player *player = &exploration->players[exploration->player_count];
    struct darn_server_options options = {
        .listener = exploration->listener,
        .program = wanted->program,
        .input = exploration->input,
        .reset = wanted->reset,
        .with = wanted->with,
        .stop = (int)wanted->stop,
        .timeout_ms = wanted->timeout_ms,
        .until = exploration->until,
        .searches = true,
        .cpu = choose_core(exploration->player_count, wanted->jobs),
    };
    int status = darn_player_start(player, &options);

    if (status)
        return status;
    player->judge.oracle = wanted->oracle;
    player->judge.with = wanted->with;
    player->judge.stop = wanted->stop;
    player->block->request.max_steps = wanted->max_steps;
    exploration->player_count++;
    return 0;
}

/* 0 or DARN_REFUSED. */
static int arm(struct darn_exploration *exploration)
{
    struct darn_player *player = &exploration->players[0];
    int armed = 0;

    if (exploration->learns_on && exploration->keeps_straight) {
        if (!darn_exploration_learn(exploration) && player->how == DARN_SERVER_LOST)
            return darn_tell_refusal(exploration->listener, "%s", darn_server_loss(player->server));
    } else if (exploration->options->points == DARN_POINTS_SHARED) {
        armed = darn_server_learn(player->server, exploration->learns_on ? 1 : LEARNING_RUNS);
        exploration->learning += darn_server_learned(player->server);
        exploration->looked_at = player->block->result.looked_at;
    } else if (exploration->options->points == DARN_POINTS_ALL) {
        darn_server_arm(player->server, NULL, SIZE_MAX);
    }
    if (armed < 0)
        return DARN_REFUSED;
    exploration->armed = darn_server_armed(player->server, &exploration->armed_count);
    return 0;
}

static int refuse_endless(const struct darn_exploration *exploration)
{
    const struct darn_player *player = &exploration->players[0];
    const char *name = exploration->options->program[0];

    if (!exploration->is_slow)
        return darn_tell_refusal(
            exploration->listener,
            "%s makes more than %" PRIu64 " steps even when no thread is "
            "interrupted; --max-steps=N allows more, --points=sync makes fewer",
            name, player->block->request.max_steps);
    return darn_tell_refusal(exploration->listener,
                             "%s does not end within %g s under control, even when no thread is "
                             "interrupted; --timeout=S allows more%s",
                             name, player->judge.timeout_ms / 1000.0,
                             exploration->options->with
                                 ? ""
                                 : ", --with=CMD runs the client of a server");
}

/* False when the run could not be made. */
static bool try_once(struct darn_exploration *exploration, enum darn_strategy_kind kind)
{
    struct darn_player *player = &exploration->players[0];
    struct darn_request *request = &player->block->request;
    double start = darn_clock();

    exploration->has_first = exploration->keeps_straight && kind == DARN_STRATEGY_STRAIGHT;
    exploration->first_kind = kind;
    request->flags = exploration->has_first
                         ? darn_exploration_flags(exploration, exploration->learns_on)
                         : 0;
    memset(&request->plan, 0, sizeof(request->plan));
    request->plan.kind = kind;
    if (!darn_player_run(player))
        return false;
    exploration->learning++;
    if (kind == DARN_STRATEGY_STRAIGHT)
        exploration->is_slow = player->how == DARN_SERVER_TIMEOUT;
    if (kind == DARN_STRATEGY_STRAIGHT || !darn_verdict_is_failure(player->judged.kind)) {
        exploration->seconds = darn_clock() - start;
        exploration->used = player->block->result.used / 1e6;
    }
    return true;
}

static void set_timeout(struct darn_player *player, uint32_t ms)
{
    player->judge.timeout_ms = ms;
    darn_server_set_timeout(player->server, ms);
}

/* Whether a run that takes so many times as long would leave most of the time for others. */
static bool has_time(const struct darn_exploration *exploration, double times)
{
    return !exploration->until ||
           exploration->seconds * times < (exploration->until - darn_clock()) * MOST_OF_TIME;
}

/* Gives the runs more, if nobody has said how much they get. */
static bool allow_more(struct darn_exploration *exploration)
{
    struct darn_player *player = &exploration->players[0];
    struct darn_request *request = &player->block->request;
    bool slow = exploration->is_slow;

    if (exploration->takes_endless && !has_time(exploration, slow ? DARN_PATIENT : STEPS_FACTOR))
        return false;
    if (slow && !exploration->options->timeout_given &&
        player->judge.timeout_ms == exploration->options->timeout_ms)
        set_timeout(player, player->judge.timeout_ms * DARN_PATIENT);
    else if (!slow && !exploration->options->max_steps_given && request->max_steps < MOST_STEPS &&
             exploration->seconds * 1000 * STEPS_FACTOR < player->judge.timeout_ms)
        request->max_steps *= STEPS_FACTOR;
    else
        return false;
    return true;
}

/* Whether the program comes to an end. That some other schedule fails says nothing of that. */
static bool has_ended(const struct darn_player *player, enum darn_strategy_kind kind)
{
    return player->judged.kind != DARN_VERDICT_CUT &&
           (kind == DARN_STRATEGY_STRAIGHT || !darn_verdict_is_failure(player->judged.kind));
}

/* Makes runs until one comes to its end, with higher limits; and in the end another schedule, for
 * the one in which nobody interferes may be one that hangs. False when no run could be made. */
static bool try_to_end(struct darn_exploration *exploration)
{
    const struct darn_player *player = &exploration->players[0];
    enum darn_strategy_kind kind = DARN_STRATEGY_STRAIGHT;
    bool ran = exploration->has_first || try_once(exploration, kind);

    while (ran && !has_ended(player, kind)) {
        if (kind == DARN_STRATEGY_STRAIGHT)
            kind = DARN_STRATEGY_RANDOM;
        else if (allow_more(exploration))
            kind = DARN_STRATEGY_STRAIGHT;
        else
            break;
        ran = try_once(exploration, kind);
    }
    exploration->is_endless = ran && !has_ended(player, kind);
    return ran;
}

/* Later runs may take so many times as long as one in which nobody interferes. */
static void set_limits(struct darn_exploration *exploration)
{
    const struct darn_explore_options *options = exploration->options;
    struct darn_player *player = &exploration->players[0];
    struct darn_request *request = &player->block->request;
    uint64_t steps = player->block->result.steps * STEPS_FACTOR;
    double ms = exploration->seconds * 1000 * STEPS_FACTOR;

    if (!options->max_steps_given && request->max_steps < steps)
        request->max_steps = steps;
    if (!options->timeout_given && ms > player->judge.timeout_ms && ms < MOST_MS)
        set_timeout(player, (uint32_t)ms);
}

/* Who waits for nobody in such a run may wait for ever. */
static void expect_no_end(const struct darn_explore_options *options, struct darn_player *player)
{
    if (options->timeout_given)
        return;
    if (player->judge.timeout_ms > ENDLESS_MS)
        set_timeout(player, ENDLESS_MS);
    if (!options->with)
        darn_server_set_stillness(player->server, STILL_MS);
}

/* Its runs are cut off, each of them: sooner, if nobody has said when. */
static int take_endless(struct darn_exploration *exploration)
{
    const struct darn_explore_options *options = exploration->options;
    struct darn_player *player = &exploration->players[0];

    expect_no_end(options, player);
    player->block->request.max_steps = options->max_steps;
    darn_tell_note(exploration->listener,
                   "note: %s does not end when no thread is interrupted: its runs are cut off after "
                   "%g s or %" PRIu64 " steps%s",
                   options->program[0], player->judge.timeout_ms / 1000.0, options->max_steps,
                   options->with ? "" : "; --with=CMD runs the client of a server");
    return 0;
}

static void note_straight(struct darn_exploration *exploration, struct darn_player *player)
{
    struct darn_finding *failure = darn_player_finding(player, "", false);

    exploration->straight = player->judged;
    exploration->straight_steps = player->block->result.steps;
    exploration->straight_status = player->block->result.status;
    if (failure && failure->id)
        snprintf(exploration->straight_id, sizeof(exploration->straight_id), "%s", failure->id);
    darn_finding_free(failure);
}

/* What the program does when nobody interferes: whether it ends at all, how many steps it makes,
 * and whether it fails by itself. 0 or DARN_REFUSED. */
static int try_straight(struct darn_exploration *exploration)
{
    struct darn_player *player = &exploration->players[0];

    if (!try_to_end(exploration)) {
        if (player->how == DARN_SERVER_LOST)
            return darn_tell_refusal(exploration->listener, "%s", darn_server_loss(player->server));
        return 0; /* interrupted */
    }
    if (exploration->is_endless)
        return exploration->takes_endless ? take_endless(exploration) : refuse_endless(exploration);
    if (player->block->result.end == DARN_END_THREADS)
        return darn_tell_refusal(exploration->listener, "%s has more than %d threads at a time",
                                 exploration->options->program[0], DARN_SLOTS);
    if (player->judged.kind == DARN_VERDICT_NONE && *player->judged.text)
        return darn_tell_refusal(exploration->listener, "%s", player->judged.text);
    note_straight(exploration, player);
    set_limits(exploration);
    return 0;
}

/* To learn costs next to nothing where a run is mostly made of its start, its end and its steps,
 * and a lot where it computes. It is not measured by the clock: the same seed gives the same
 * schedules, however busy the machine is. */
static void choose_learning(struct darn_exploration *exploration)
{
    uint64_t steps = exploration->players[0].block->result.steps;

    exploration->learn_every =
        exploration->looked_at < CHEAP + CHEAP_FOR_STEP * steps ? 1 : LEARN_SELDOM;
}

/* What is reset is there once: a run that is under way would lose it to the next one. And so is the
 * address of a server. */
static uint64_t count_jobs(const struct darn_exploration *exploration)
{
    const struct darn_explore_options *options = exploration->options;

    if ((!options->reset && !options->with) || options->jobs == 1)
        return options->jobs;
    darn_tell_note(exploration->listener, "--%s: one run at a time, as with --jobs=1",
                   options->reset ? "reset" : "with");
    return 1;
}

static void do_like(const struct darn_exploration *exploration, struct darn_player *player)
{
    const struct darn_player *first = &exploration->players[0];

    darn_server_arm_like(player->server, first->server);
    player->block->request.max_steps = first->block->request.max_steps;
    set_timeout(player, first->judge.timeout_ms);
    if (exploration->is_endless)
        expect_no_end(exploration->options, player);
}

int darn_exploration_start(struct darn_exploration *exploration)
{
    uint64_t jobs = count_jobs(exploration);
    int status;

    exploration->players = darn_need_zeroed(jobs, sizeof(*exploration->players));
    status = start_player(exploration);
    if (!status && !exploration->learns_late)
        status = arm(exploration);
    if (!status && !atomic_load(&exploration->interrupted))
        status = try_straight(exploration);
    if (!status && exploration->learns_on && !exploration->learns_late &&
        !atomic_load(&exploration->interrupted))
        choose_learning(exploration);
    while (!status && exploration->player_count < jobs && !atomic_load(&exploration->interrupted)) {
        struct darn_player *player = &exploration->players[exploration->player_count];

        status = start_player(exploration);
        if (status == DARN_LATE)
            return 0; /* one will do */
        if (status)
            break;
        do_like(exploration, player);
    }
    return status;
}

/* A run has more steps now, but no more than the accesses that were looked at. */
static bool may_be_long(const struct darn_exploration *exploration)
{
    return (exploration->straight_steps + exploration->looked_at) * STEPS_FACTOR >
           exploration->players[0].block->request.max_steps;
}

int darn_exploration_learn_late(struct darn_exploration *exploration)
{
    struct darn_player *first = &exploration->players[0];
    int status;

    exploration->learns_late = false;
    first->block->request.flags = 0;
    status = arm(exploration);
    if (status)
        return status;
    if (!exploration->is_endless && may_be_long(exploration) &&
        try_once(exploration, DARN_STRATEGY_STRAIGHT))
        set_limits(exploration);
    choose_learning(exploration);
    for (uint32_t i = 1; i < exploration->player_count; i++)
        do_like(exploration, &exploration->players[i]);
    return 0;
}

void darn_exploration_stop(struct darn_exploration *exploration)
{
    uint32_t count = exploration->player_count;

    exploration->player_count = 0; /* a signal finds none any more */
    for (uint32_t i = 0; i < count; i++)
        darn_player_stop(&exploration->players[i]);
    free(exploration->players);
    free(exploration->armed);
    exploration->players = NULL;
    exploration->armed = NULL;
}
