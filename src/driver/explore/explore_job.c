/*
 * One job of an exploration: asks the search for a schedule, has it run, tells what became of it.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "driver/explore/exploration.h"

void darn_exploration_end(struct darn_exploration *exploration)
{
    atomic_store(&exploration->enough, true);
    for (uint32_t i = 0; i < exploration->player_count; i++)
        darn_server_interrupt(exploration->players[i].server);
}

/* With the lock: a search has come to its end, but some of its runs were not looked at for sites
 * that share memory. There may be some that it knows nothing of: it is made again, and looks at
 * each run. */
static bool learn_more(struct darn_exploration *exploration)
{
    if (!exploration->learns_on || exploration->learn_every <= 1)
        return false;
    exploration->learn_every = 1;
    return darn_search_again(exploration->search);
}

/* With the lock. False when there is nothing left to do. */
static bool next_task(struct darn_exploration *exploration, struct darn_task *task)
{
    while (!atomic_load(&exploration->enough) &&
           exploration->begun < exploration->options->schedules) {
        bool later = false;

        memset(task, 0, sizeof(*task));
        if (darn_search_next(exploration->search, task, &later)) {
            exploration->begun++;
            return true;
        }
        if (!later && learn_more(exploration))
            continue;
        if (!later)
            return false;
        pthread_cond_wait(&exploration->changed, &exploration->lock);
    }
    return false;
}

/* A schedule may come to code that no run has come to before, and that shares memory. */
static bool is_to_learn(const struct darn_exploration *exploration)
{
    return exploration->learns_on && exploration->begun % exploration->learn_every == 0;
}

/* With the lock: the run of this job has learned of new sites. The other jobs arm them before their
 * next runs. */
static void arm_more(struct darn_exploration_job *job)
{
    struct darn_exploration *exploration = job->exploration;

    darn_server_arm_shared(job->player->server);
    free(exploration->armed);
    exploration->armed = darn_server_armed(job->player->server, &exploration->armed_count);
    job->armed_version = ++exploration->armed_version;
}

/* With the lock. */
static void arm_as_others(struct darn_exploration_job *job)
{
    struct darn_exploration *exploration = job->exploration;

    if (job->armed_version == exploration->armed_version)
        return;
    job->armed_version = exploration->armed_version;
    darn_server_arm(job->player->server, exploration->armed, exploration->armed_count);
}

uint32_t darn_exploration_flags(const struct darn_exploration *exploration, bool learn)
{
    const struct darn_explore_options *options = exploration->options;

    return DARN_RUN_COVERAGE | (options->races ? DARN_RUN_RACES : 0) |
           (options->early ? DARN_RUN_EARLY : 0) |
           (options->report_spins ? DARN_RUN_SPIN_RACES : 0) |
           (options->really_spins ? DARN_RUN_SPIN : 0) | (learn ? DARN_RUN_LEARN : 0);
}

/* With the lock: whether the run was made already, to see whether the program comes to an end. Then
 * it counts as one of the search, and no longer as one before it. */
static bool was_made(struct darn_exploration_job *job, const struct darn_task *task)
{
    struct darn_exploration *exploration = job->exploration;
    bool straight = task->plan.kind == DARN_STRATEGY_SCRIPT && !task->plan.switch_count;
    uint32_t kind = straight ? DARN_STRATEGY_STRAIGHT : task->plan.kind;
    bool made = exploration->has_first && job->player == &exploration->players[0] &&
                kind == exploration->first_kind;

    if (job->player == &exploration->players[0])
        exploration->has_first = false;
    exploration->learning -= made;
    return made;
}

static void request_run(const struct darn_exploration *exploration, struct darn_player *player,
                        const struct darn_task *task, bool learn)
{
    struct darn_control_block *block = player->block;
    uint32_t count = task->plan.switch_count;

    if (count > DARN_BLOCK_SWITCHES)
        count = DARN_BLOCK_SWITCHES;
    block->request.flags = darn_exploration_flags(exploration, learn);
    block->request.time = 0;
    block->request.plan = task->plan;
    block->request.plan.switch_count = count;
    if (count)
        memcpy(block->switches, task->switches, count * sizeof(*task->switches));
}

/* With the lock: what a user should know of besides findings. */
static void note(struct darn_exploration *exploration, const struct darn_result *result)
{
    if (result->processes > exploration->processes)
        exploration->processes = result->processes;
    if (result->stuck > exploration->stuck)
        exploration->stuck = result->stuck;
    if (result->stuck) {
        exploration->stuck_call = result->stuck_call;
        exploration->stuck_thread = result->stuck_thread;
    }
    exploration->unrecorded |= result->unrecorded;
    exploration->without_choice += !result->choices;
}

/* With the lock. The other jobs wait meanwhile: what it takes is not the time of runs. */
static bool look(struct darn_exploration *exploration, struct darn_player *player,
                 uint64_t schedule)
{
    uint64_t max_steps = player->block->request.max_steps; /* a replay may have more */
    bool races = exploration->options->races, found = false;
    double start = darn_clock();

    if (player->judged.kind == DARN_VERDICT_CUT)
        darn_exploration_cut(exploration, player);
    if (darn_verdict_is_failure(player->judged.kind) || (races && player->block->result.met_count))
        found = exploration->look(exploration, player, schedule);
    player->block->request.max_steps = max_steps;
    exploration->looking += darn_clock() - start;
    return found;
}

static void count_failure(struct darn_exploration *exploration, uint64_t schedule)
{
    exploration->failures++;
    if (!exploration->first_bug || schedule < exploration->first_bug)
        exploration->first_bug = schedule;
    if (!exploration->options->keep_going)
        darn_exploration_end(exploration);
}

/* With the lock: at a schedule that was kept. */
static bool look_back(struct darn_exploration *exploration, struct darn_player *player,
                      bool (*look)(struct darn_exploration *, struct darn_player *))
{
    uint64_t max_steps = player->block->request.max_steps;
    double start = darn_clock();
    bool found = look(exploration, player);

    player->block->request.max_steps = max_steps;
    darn_server_arm(player->server, exploration->armed, exploration->armed_count);
    exploration->looking += darn_clock() - start;
    return found;
}

/* With the lock: a run has ended well, and one before it, which was put off, has not. */
static void look_late(struct darn_exploration_job *job)
{
    struct darn_exploration *exploration = job->exploration;

    if (look_back(exploration, job->player, darn_exploration_found_late))
        count_failure(exploration, exploration->put_off_at);
}

/* That the program was run without interference, too, was to judge the failure. */
void darn_exploration_look_first(struct darn_exploration *exploration)
{
    bool judged = exploration->has_first;

    pthread_mutex_lock(&exploration->lock);
    exploration->has_first = false; /* its result is gone when another run is made */
    if (look_back(exploration, &exploration->players[0], darn_exploration_found_first)) {
        exploration->learning -= judged;
        exploration->replays += judged;
        count_failure(exploration, 1);
    }
    pthread_mutex_unlock(&exploration->lock);
}

/* With the lock. */
static void tell(struct darn_exploration *exploration, struct darn_player *player,
                 const struct darn_task *task)
{
    const struct darn_result *result = &player->block->result;
    bool failed = darn_verdict_is_failure(player->judged.kind);
    struct darn_outcome outcome = {
        .task = task,
        .result = result,
        .steps = player->block->steps,
        .reads = player->block->reads,
        .failed = failed,
    };
    uint64_t schedule = ++exploration->schedules;

    darn_search_tell(exploration->search, &outcome);
    note(exploration, result);
    exploration->fine |= player->judged.kind == DARN_VERDICT_OK;
    if (!failed && player->judged.kind != DARN_VERDICT_CUT &&
        !(exploration->options->races && result->met_count))
        return;
    if (exploration->first_bug && !exploration->options->keep_going)
        return; /* another job has just found something */
    if (look(exploration, player, schedule))
        count_failure(exploration, schedule);
}

/* With the lock: the run could not be made, or not be judged. */
static void give_up(struct darn_exploration *exploration, const struct darn_player *player)
{
    if (player->how == DARN_SERVER_STOPPED || atomic_load(&exploration->enough))
        return;
    exploration->status = darn_tell_refusal(
        exploration->listener, "%s",
        player->how == DARN_SERVER_LOST ? darn_server_loss(player->server) : player->judged.text);
    darn_exploration_end(exploration);
}

static void pin(int core)
{
    cpu_set_t set;

    if (core < 0)
        return;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

/* With the lock: what was made already is told first. */
static void let_first_begin(const struct darn_exploration_job *job)
{
    struct darn_exploration *exploration = job->exploration;

    while (exploration->has_first && job->player != &exploration->players[0] &&
           !atomic_load(&exploration->enough))
        pthread_cond_wait(&exploration->changed, &exploration->lock);
}

void *darn_exploration_job(void *argument)
{
    struct darn_exploration_job *job = argument;
    struct darn_exploration *exploration = job->exploration;
    struct darn_player *player = job->player;
    struct darn_task task;

    pin(player->block->cpu);
    pthread_mutex_lock(&exploration->lock);
    let_first_begin(job);
    while (next_task(exploration, &task)) {
        bool made = was_made(job, &task), ran;
        bool learn = made ? exploration->learns_on : is_to_learn(exploration);
        uint32_t new_shared;

        arm_as_others(job);
        pthread_mutex_unlock(&exploration->lock);
        request_run(exploration, player, &task, learn);
        ran = made || darn_player_run(player);
        new_shared = player->block->result.new_shared;
        pthread_mutex_lock(&exploration->lock);
        if (ran && player->judged.kind == DARN_VERDICT_NONE && *player->judged.text)
            ran = false;
        if (ran)
            tell(exploration, player, &task);
        else
            give_up(exploration, player);
        if (ran && learn && new_shared)
            arm_more(job);
        if (ran && exploration->put_off && exploration->fine && !atomic_load(&exploration->enough))
            look_late(job);
        free(task.switches);
        pthread_cond_broadcast(&exploration->changed);
        if (!ran)
            break;
    }
    exploration->running--;
    exploration->has_first = false;
    pthread_cond_broadcast(&exploration->changed);
    pthread_mutex_unlock(&exploration->lock);
    sem_post(&exploration->ends);
    return NULL;
}
