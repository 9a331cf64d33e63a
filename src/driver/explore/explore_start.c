/*
 * The beginning of an exploration: the servers, and what is armed in them.
 */
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "driver/explore/exploration.h"

/* At most; it ends as soon as nothing new comes. Where the search learns as it goes one is enough,
 * in which no thread is interrupted: no schedule is tried that would not be counted. */
#define LEARNING_RUNS 16
#define STEPS_FACTOR  10 /* a run of so many times the usual length hangs at the earliest */
#define TIMED_RUNS    3
#define TIMED_SECONDS 0.1
#define LEARN_SELDOM  8
#define CHEAP         1.3

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
    const struct darn_explore_line *line = exploration->line;
    struct darn_player *player = &exploration->players[exploration->player_count];
    struct darn_server_options options = {
        .command = exploration->command,
        .program = line->program,
        .input = exploration->input,
        .reset = line->reset,
        .timeout_ms = line->timeout_ms,
        .cpu = choose_core(exploration->player_count, line->jobs),
    };
    int status = darn_player_start(player, &options);

    if (status)
        return status;
    player->judge.oracle = line->oracle;
    player->block->request.max_steps = line->max_steps;
    exploration->player_count++;
    return 0;
}

/* 0 or an exit status. */
static int arm(struct darn_exploration *exploration)
{
    struct darn_player *player = &exploration->players[0];
    int armed = 0;

    if (exploration->line->points == DARN_POINTS_SHARED)
        armed = darn_server_learn(player->server, exploration->learns_on ? 1 : LEARNING_RUNS);
    else if (exploration->line->points == DARN_POINTS_ALL)
        darn_server_arm(player->server, NULL, SIZE_MAX);
    exploration->learning = darn_server_learned(player->server);
    if (armed < 0)
        return DARN_EXIT_USAGE;
    exploration->armed = darn_server_armed(player->server, &exploration->armed_count);
    return 0;
}

static int refuse_endless(const struct darn_exploration *exploration, bool steps)
{
    const char *name = exploration->line->program[0];

    if (steps)
        return darn_refuse(exploration->command,
                           "%s makes more than %" PRIu64 " steps even when no thread is "
                           "interrupted; --max-steps=N allows more, --points=sync makes fewer",
                           name, exploration->line->max_steps);
    return darn_refuse(exploration->command,
                       "%s does not end within %g s under control, even when no thread is "
                       "interrupted; --timeout=S allows more",
                       name, exploration->line->timeout_ms / 1000.0);
}

/* What the program does when nobody interferes: whether it ends at all, how many steps it makes,
 * and whether it fails by itself. 0 or an exit status. */
static int try_straight(struct darn_exploration *exploration)
{
    struct darn_player *player = &exploration->players[0];
    struct darn_request *request = &player->block->request;
    const struct darn_result *result = &player->block->result;

    request->flags = 0;
    memset(&request->plan, 0, sizeof(request->plan));
    request->plan.kind = DARN_STRATEGY_STRAIGHT;
    if (!darn_player_run(player)) {
        if (player->how == DARN_SERVER_LOST)
            return darn_refuse(exploration->command, "%s", darn_server_loss(player->server));
        return 0; /* interrupted */
    }
    exploration->learning++;
    if (player->how == DARN_SERVER_TIMEOUT || result->end == DARN_END_STEPS)
        return refuse_endless(exploration, player->how != DARN_SERVER_TIMEOUT);
    if (result->end == DARN_END_THREADS)
        return darn_refuse(exploration->command, "%s has more than %d threads at a time",
                           exploration->line->program[0], DARN_SLOTS);
    if (player->judged.kind == DARN_VERDICT_NONE && *player->judged.text)
        return darn_refuse(exploration->command, "%s", player->judged.text);
    exploration->straight_fails = darn_verdict_is_failure(player->judged.kind);
    if (!exploration->line->max_steps_given && request->max_steps < result->steps * STEPS_FACTOR)
        request->max_steps = result->steps * STEPS_FACTOR;
    return 0;
}

/* How long it takes when nobody interferes: the shortest of a few. */
static double time_straight(struct darn_exploration *exploration, uint32_t flags)
{
    struct darn_player *player = &exploration->players[0];
    double begin = darn_clock(), shortest = HUGE_VAL, last = begin, now;

    player->block->request.flags = flags;
    for (int i = 0; i < TIMED_RUNS && last - begin < TIMED_SECONDS; i++) {
        if (!darn_player_run(player))
            break;
        exploration->learning++;
        now = darn_clock();
        /* In the first one the server arms. */
        if ((i || now - begin >= TIMED_SECONDS) && now - last < shortest)
            shortest = now - last;
        last = now;
    }
    return shortest;
}

/* To learn costs next to nothing where a run is mostly made of its start and its end, and a lot
 * where it computes. */
static void choose_learning(struct darn_exploration *exploration)
{
    double plain = time_straight(exploration, 0);

    exploration->learn_every =
        time_straight(exploration, DARN_RUN_LEARN) < CHEAP * plain ? 1 : LEARN_SELDOM;
}

int darn_exploration_start(struct darn_exploration *exploration)
{
    uint64_t jobs = exploration->line->jobs;
    int status;

    exploration->players = calloc(jobs, sizeof(*exploration->players));
    if (!exploration->players)
        return darn_refuse(exploration->command, "out of memory");
    status = start_player(exploration);
    if (!status)
        status = arm(exploration);
    if (!status && !atomic_load(&exploration->interrupted))
        status = try_straight(exploration);
    if (!status && exploration->learns_on && !atomic_load(&exploration->interrupted))
        choose_learning(exploration);
    while (!status && exploration->player_count < jobs && !atomic_load(&exploration->interrupted)) {
        struct darn_player *player = &exploration->players[exploration->player_count];
        const struct darn_player *first = &exploration->players[0];

        status = start_player(exploration);
        if (status)
            break;
        darn_server_arm_like(player->server, first->server);
        player->block->request.max_steps = first->block->request.max_steps;
    }
    return status;
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
