#include "driver/play/player.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/options.h"
#include "driver/process/installation.h"
#include "driver/process/listener.h"
#include "report/shell.h"

/* In the fair part of a run: a thread makes so many steps, then it is another one's turn. Loops of
 * up to six steps are at the same place again then, and the state comes again soon. */
#define FAIR_PATIENCE 60

uint64_t darn_player_build(const char *path)
{
    uint64_t hash = DARN_HASH_START;
    FILE *file = fopen(path, "rb");
    char piece[65536];
    size_t got;

    if (!file)
        return 0;
    while ((got = fread(piece, 1, sizeof(piece), file)) > 0)
        hash = darn_hash_bytes(hash, piece, got);
    fclose(file);
    return hash;
}

static char *join_arguments(char *const *arguments)
{
    struct darn_text_pool pool = {0};
    const char *line = "";
    char *copy;

    for (; *arguments; arguments++)
        line = darn_pool_format(&pool, "%s %s", line, darn_shell_word(&pool, *arguments));
    copy = strdup(line);
    darn_pool_release(&pool);
    return copy;
}

int darn_player_start(struct darn_player *player, const struct darn_server_options *options)
{
    char path[PATH_MAX], absolute[PATH_MAX];
    int status = 0;

    *player = (struct darn_player){.program = options->program, .input = options->input};
    player->judge.timeout_ms = options->timeout_ms;
    player->server = darn_server_start(options, &status);
    if (!player->server)
        return status;
    player->block = darn_server_block(player->server);
    if (darn_find_program(options->program[0], path, sizeof(path)) ||
        darn_absolute_path(path, absolute, sizeof(absolute)))
        snprintf(absolute, sizeof(absolute), "%s", options->program[0]);
    player->path = strdup(absolute);
    player->arguments = join_arguments(options->program + 1);
    player->build = darn_player_build(absolute);
    player->snapshot = (struct darn_snapshot){
        .block = player->block,
        .modules = &player->modules,
        .program = player->path,
        .arguments = player->arguments,
    };
    return 0;
}

void darn_player_stop(struct darn_player *player)
{
    if (player->server)
        darn_server_stop(player->server);
    darn_modules_close(&player->modules);
    free(player->path);
    free(player->arguments);
    *player = (struct darn_player){0};
}

/* Read: a run is being made. Who wants to be alone goes first. */
static pthread_rwlock_t runs = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static _Thread_local unsigned alone; /* how often it has asked for that */

void darn_player_alone_begin(void)
{
    if (!alone++)
        pthread_rwlock_wrlock(&runs);
}

void darn_player_alone_end(void)
{
    if (!--alone)
        pthread_rwlock_unlock(&runs);
}

static enum darn_server_result run_beside_others(struct darn_player *player)
{
    enum darn_server_result how;

    pthread_rwlock_rdlock(&runs);
    how = darn_server_run(player->server);
    pthread_rwlock_unlock(&runs);
    return how;
}

static void count(struct darn_player *player)
{
    const struct darn_result *result = &player->block->result;

    player->runs++;
    if (player->how == DARN_SERVER_RAN && result->end == DARN_END_EXIT && WIFEXITED(result->status))
        player->exits[WEXITSTATUS(result->status)]++;
}

bool darn_player_run(struct darn_player *player)
{
    size_t length;

    player->judged = (struct darn_judged){.kind = DARN_VERDICT_NONE};
    player->how = alone ? darn_server_run(player->server) : run_beside_others(player);
    if (player->how == DARN_SERVER_LOST || player->how == DARN_SERVER_STOPPED)
        return false;
    count(player);
    darn_judge(&player->judge, player->server, player->how, &player->judged);
    player->snapshot.output = player->judged.kind == DARN_VERDICT_SANITIZER
                                  ? darn_server_output(player->server, &length)
                                  : NULL;
    return true;
}

/* What the schedule has besides its steps goes into the request, and its sites are armed. `flags`
 * are added to its own. */
static void prepare(struct darn_player *player, const struct darn_schedule *schedule,
                    uint32_t flags)
{
    struct darn_request *request = &player->block->request;

    darn_server_arm(player->server, schedule->armed, schedule->armed_count);
    request->flags = schedule->run_flags | flags;
    request->max_steps = schedule->max_steps;
    request->fair_from = schedule->fair_from;
    request->after_met = 0;
    request->time = schedule->time;
    request->plan = (struct darn_plan){0};
    darn_schedule_give_aims(schedule, player->block);
    player->fed = schedule->input_length;
    if (!player->fed || player->fed >= DARN_BLOCK_INPUTS)
        return;
    memcpy(player->block->inputs, schedule->inputs, player->fed);
    player->block->inputs[player->fed] = (char)DARN_INPUTS; /* what an earlier run left behind it */
    request->flags |= DARN_RUN_FEED;
}

/* A module that the program loads as it runs is known after a run. False: there was one already. */
static bool load_modules(struct darn_player *player)
{
    struct darn_request *request = &player->block->request;

    if (player->has_loaded)
        return false;
    player->has_loaded = true;
    memset(&request->plan, 0, sizeof(request->plan));
    request->plan.kind = DARN_STRATEGY_STRAIGHT;
    request->flags = 0;
    return darn_player_run(player);
}

bool darn_player_follow(struct darn_player *player, const struct darn_schedule *schedule,
                        uint32_t flags)
{
    struct darn_plan *plan = &player->block->request.plan;
    size_t placed;

    prepare(player, schedule, flags);
    placed = darn_schedule_give_steps(schedule, player->block);
    if (placed < schedule->step_count && load_modules(player)) {
        prepare(player, schedule, flags);
        placed = darn_schedule_give_steps(schedule, player->block);
    }
    if (placed < schedule->step_count) {
        player->how = DARN_SERVER_RAN;
        player->judged = (struct darn_judged){.kind = DARN_VERDICT_NONE};
        player->block->result = (struct darn_result){.end = DARN_END_NONE, .diverged = placed};
        return false;
    }
    plan->kind = DARN_STRATEGY_FOLLOW;
    plan->step_count = (uint32_t)placed;
    for (size_t i = 0; i < placed; i++)
        plan->forced |= schedule->steps[i].flags & DARN_STEP_FORCED;
    if (player->block->request.flags & DARN_RUN_PROVE)
        plan->patience = FAIR_PATIENCE;
    return darn_player_run(player);
}

bool darn_player_script(struct darn_player *player, const struct darn_schedule *schedule,
                        const struct darn_switch *switches, size_t count)
{
    struct darn_plan *plan = &player->block->request.plan;

    prepare(player, schedule, 0);
    plan->kind = DARN_STRATEGY_SCRIPT;
    plan->switch_count = (uint32_t)(count < DARN_BLOCK_SWITCHES ? count : DARN_BLOCK_SWITCHES);
    if (plan->switch_count)
        memcpy(player->block->switches, switches, plan->switch_count * sizeof(*switches));
    return darn_player_run(player);
}

static char **copy_words(char *const *words)
{
    size_t count = 0;
    char **copy;

    while (words[count])
        count++;
    copy = calloc(count + 1, sizeof(*copy));
    for (size_t i = 0; copy && i < count; i++)
        copy[i] = strdup(words[i]);
    return copy;
}

/* The flags that say what a run is, and not what is asked about it. */
static uint32_t lasting_flags(uint32_t flags)
{
    return flags & ~(uint32_t)(DARN_RUN_LEARN | DARN_RUN_HOLD | DARN_RUN_FEED | DARN_RUN_COVERAGE);
}

/* What was fed is not recorded again. */
static void take_inputs(struct darn_schedule *schedule, const struct darn_player *player)
{
    const struct darn_control_block *block = player->block;
    bool fed = block->request.flags & DARN_RUN_FEED;
    size_t length = fed ? player->fed : block->result.input_length;

    if (!length || length > DARN_BLOCK_INPUTS || !(schedule->inputs = malloc(length)))
        return;
    memcpy(schedule->inputs, block->inputs, length);
    schedule->input_length = length;
}

/* A run that was healed (server_process.c) is healed again when it is replayed. */
static char **take_environment(void)
{
    static struct darn_options options;
    const char *variable = getenv(DARN_OPTIONS_VARIABLE);
    char error[DARN_OPTIONS_ERROR], *words[] = {NULL, NULL}, **copy;

    darn_options_default(&options);
    if (variable && darn_options_parse(&options, variable, error, sizeof(error)) == 0 &&
        options.heal[0] && asprintf(&words[0], DARN_OPTIONS_VARIABLE "=%s", variable) < 0)
        words[0] = NULL;
    copy = copy_words(words);
    free(words[0]);
    return copy;
}

struct darn_schedule *darn_player_take(struct darn_player *player)
{
    struct darn_schedule *schedule = calloc(1, sizeof(*schedule));
    const struct darn_control_block *block = player->block;
    char *directory = getcwd(NULL, 0);

    if (!schedule) {
        free(directory);
        return NULL;
    }
    schedule->program = strdup(player->path);
    schedule->directory = directory ? directory : strdup("/");
    schedule->arguments = copy_words(player->program);
    schedule->environment = take_environment();
    schedule->input = player->input ? strdup("input") : NULL;
    schedule->time = block->result.time;
    schedule->build = player->build;
    schedule->max_steps = block->request.max_steps;
    if (block->request.flags & DARN_RUN_PROVE)
        schedule->fair_from = block->request.fair_from;
    schedule->run_flags = lasting_flags(block->request.flags);
    schedule->armed = darn_server_armed(player->server, &schedule->armed_count);
    schedule->ending = strdup(darn_verdict_word(player->judged.kind));
    take_inputs(schedule, player);
    if (darn_schedule_take_steps(schedule, block)) {
        darn_schedule_free(schedule);
        return NULL;
    }
    return schedule;
}

static bool is_wanted(const struct darn_finding *finding, const char *id)
{
    return finding && (!*id || (finding->id && strcmp(finding->id, id) == 0));
}

/* The finding of what was met, and when. */
static struct darn_finding *find_met(struct darn_player *player, const char *id, uint64_t *step)
{
    const struct darn_result *result = &player->block->result;

    for (uint32_t i = 0; i < result->met_count && i < DARN_BLOCK_MET; i++) {
        struct darn_finding *finding = darn_snapshot_met(&player->snapshot, &result->met[i]);

        *step = result->met[i].step;
        if (is_wanted(finding, id))
            return finding;
        darn_finding_free(finding);
    }
    return NULL;
}

bool darn_player_meets(struct darn_player *player, const char *id, uint64_t *step)
{
    struct darn_finding *finding = find_met(player, id, step);
    bool met = finding != NULL;

    darn_finding_free(finding);
    return met;
}

struct darn_finding *darn_player_finding(struct darn_player *player, const char *id, bool met)
{
    struct darn_finding *finding;
    uint64_t step;

    if (met)
        return find_met(player, id, &step);
    if (!darn_verdict_is_failure(player->judged.kind))
        return NULL;
    finding = darn_snapshot_failure(&player->snapshot, darn_verdict_word(player->judged.kind));
    if (is_wanted(finding, id))
        return finding;
    darn_finding_free(finding);
    return NULL;
}

bool darn_player_shows(struct darn_player *player, const struct darn_symptom *symptom)
{
    struct darn_finding *finding;
    bool shown;

    if (player->judged.kind != symptom->kind)
        return false;
    finding = darn_player_finding(player, symptom->id, symptom->met);
    shown = finding != NULL;
    darn_finding_free(finding);
    return shown;
}
