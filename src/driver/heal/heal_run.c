/*
 * A healed run, the account that it leaves, and the fixes that follow from it.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/heal/healing.h"
#include "driver/process/launch.h"
#include "driver/process/installation.h"
#include "driver/process/program.h"
#include "report/heal/heal_report.h"
#include "section/deadlock.h"

#define ACCOUNT    "account"
#define ROOM       (256 * 1024) /* for the strings of one signature */
#define MOST_FIXES 3 /* of a repository that was given: those that were waited for most */

/* ---- the run ---- */

static int set_option(const struct darn_heal *heal, struct darn_options *options, const char *name,
                      const char *value)
{
    char error[DARN_OPTIONS_ERROR];

    if (value && *value && darn_options_set(options, name, value, error, sizeof(error)))
        return darn_tell_refusal(heal->listener, "%s", error);
    return 0;
}

int darn_heal_set_options(const struct darn_heal *heal, struct darn_options *options)
{
    const char *variable = getenv(DARN_OPTIONS_VARIABLE);
    char error[DARN_OPTIONS_ERROR];
    int status = 0;

    darn_options_default(options);
    if (variable && darn_options_parse(options, variable, error, sizeof(error)))
        return darn_tell_refusal(heal->listener, DARN_OPTIONS_VARIABLE ": %s", error);
    status = set_option(heal, options, "heal", heal->file);
    if (!status)
        status = set_option(heal, options, "heal_with", heal->options.with);
    if (heal->options.bound)
        options->heal_bound = heal->options.bound;
    return status;
}

/* The account and what it learns go to files. 0 or DARN_REFUSED. */
static int pass_options(const struct darn_heal *heal)
{
    static struct darn_options options;
    char path[PATH_MAX + 16], absolute[PATH_MAX];
    int status = darn_heal_set_options(heal, &options);

    snprintf(path, sizeof(path), "%s/" ACCOUNT, heal->directory);
    if (!status)
        status = set_option(heal, &options, "heal_out", path);
    if (!status && heal->options.learn) {
        int result = darn_absolute_path(heal->options.learn, absolute, sizeof(absolute));

        status = result ? darn_tell_refusal(heal->listener, "--learn: %s", strerror(-result))
                        : set_option(heal, &options, "heal_learn", absolute);
    }
    return status ? status : darn_pass_options(heal->listener, &options);
}

/* The runtime comes into a program that darn has not compiled by way of the loader. 0 or an exit
 * status. */
static int preload(const struct darn_heal *heal)
{
    static char list[2 * PATH_MAX];
    const char *others = getenv("LD_PRELOAD");
    struct darn_installation installation;

    if (heal->compiled)
        return 0;
    if (darn_program_is_static(heal->path))
        return darn_tell_refusal(heal->listener,
                                 "%s is linked statically, and was not compiled by darn cc: "
                                 "nothing can be healed",
                                 heal->options.program[0]);
    if (darn_installation_find(&installation) || access(installation.preload, R_OK))
        return darn_tell_refusal(heal->listener, "%s is missing; install darn again",
                                 installation.preload);
    snprintf(list, sizeof(list), "%s%s%s", installation.preload, others && *others ? ":" : "",
             others ? others : "");
    if (setenv("LD_PRELOAD", list, 1))
        return darn_tell_refusal(heal->listener, "the environment cannot be set: %s",
                                 strerror(errno));
    return 0;
}

/* ---- the account ---- */

/* That of each process: `account`, `account.4711`. */
static void read_accounts(const struct darn_heal *heal, struct darn_healed *healed)
{
    DIR *directory = opendir(heal->directory);
    const struct dirent *entry;
    char path[PATH_MAX + 300];

    while (directory && (entry = readdir(directory))) {
        if (strncmp(entry->d_name, ACCOUNT, strlen(ACCOUNT)) != 0)
            continue;
        snprintf(path, sizeof(path), "%s/%s", heal->directory, entry->d_name);
        (void)darn_healed_read(healed, path); /* one that was cut off has nothing to say */
    }
    if (directory)
        closedir(directory);
}

static const struct darn_section *section_at(const struct darn_heal *heal, uint64_t line)
{
    for (size_t i = 0; line && i < heal->repository.count; i++)
        if (heal->repository.list[i]->position == line && !heal->repository.list[i]->why)
            return heal->repository.list[i];
    return NULL;
}

static bool name_gate(void *context, const struct darn_deadlock *deadlock)
{
    struct darn_healed *healed = context;

    for (size_t i = 0; i < healed->gate_count; i++)
        if (healed->gates[i].line == deadlock->position)
            healed->gates[i].locks = darn_pool_text(&healed->pool, deadlock->locks);
    return true;
}

static void pass_over(void *context, const struct darn_repository_error *error)
{
    (void)context;
    (void)error; /* it was told when the repository was read */
}

/* The account names deadlocks by their lines in the repository; people know them by their locks. */
static void name_gates(const struct darn_heal *heal, struct darn_healed *healed)
{
    struct darn_deadlock *deadlock = darn_pool_get(&healed->pool, 1, sizeof(*deadlock));
    char *room = darn_pool_get(&healed->pool, 1, ROOM), *text = NULL;
    struct darn_deadlock_reader reader = {name_gate, pass_over, healed, room, ROOM};
    size_t size = 0, got;
    const struct darn_section *section;
    FILE *file = healed->gate_count ? fopen(heal->file, "re") : NULL;
    FILE *copy = file ? open_memstream(&text, &size) : NULL;
    char piece[4096];

    while (copy && (got = fread(piece, 1, sizeof(piece), file)) > 0)
        fwrite(piece, 1, got, copy);
    if (copy)
        fclose(copy);
    if (file)
        fclose(file);
    if (text)
        (void)darn_deadlocks_read(text, size, deadlock, &reader);
    for (size_t i = 0; i < healed->gate_count; i++) /* orders of accesses are sections there */
        if ((section = section_at(heal, healed->gates[i].line)))
            healed->gates[i].locks = section->variable;
    free(text);
}

/* ---- fixes ---- */

struct darn_fix_range darn_heal_range(const struct darn_section *section)
{
    struct darn_fix_range range = {
        .file = section->file,
        .first = section->first ? section->first : section->points[0].at,
    };

    range.last = section->first ? section->last : range.first;
    for (uint32_t i = 0; i < section->count; i++) {
        const struct darn_point *point = &section->points[i];

        if (point->role == DARN_ROLE_END && point->at > range.last)
            range.last = point->at;
        if (point->role == DARN_ROLE_END && point->at && point->at < range.first)
            range.first = point->at; /* in a loop */
    }
    return range;
}

/* The rule that was waited for most and is not among the first `count`; NULL: there is none. */
static const struct darn_healed_rule *next_rule(const struct darn_healed *healed,
                                                const struct darn_healed_rule **taken, size_t count)
{
    const struct darn_healed_rule *best = NULL;

    for (size_t i = 0; i < healed->rule_count; i++) {
        const struct darn_healed_rule *rule = &healed->rules[i];
        bool is_taken = false;

        for (size_t k = 0; k < count; k++)
            is_taken |= taken[k] == rule;
        if (!is_taken && rule->waits.healed && (!best || rule->waits.healed > best->waits.healed))
            best = rule;
    }
    return best;
}

/* Two findings about the same lines need one fix. */
static bool is_same_fix(const struct darn_heal_fix *a, const struct darn_heal_fix *b)
{
    if (a->count != b->count || !a->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (a->ranges[i].first != b->ranges[i].first || a->ranges[i].last != b->ranges[i].last ||
            strcmp(a->ranges[i].file, b->ranges[i].file) != 0)
            return false;
    return true;
}

static bool is_repeated(const struct darn_heal *heal, size_t number)
{
    for (size_t i = 0; i < number; i++)
        if (is_same_fix(&heal->fixes[i], &heal->fixes[number]))
            return true;
    return false;
}

void darn_heal_each_fix(const struct darn_heal *heal, const struct darn_healed *healed,
                        darn_heal_tell_fix *tell, void *context)
{
    const struct darn_healed_rule *taken[MOST_FIXES];

    for (size_t i = 0; heal->fixes && i < heal->findings.count; i++) {
        const struct darn_heal_fix *fix = &heal->fixes[i];
        const char *variable = fix->finding->variable;
        struct darn_fix whole = {fix->finding, variable ? variable : "", fix->ranges, fix->count};

        if ((fix->count || darn_finding_is(fix->finding, "deadlock")) && !is_repeated(heal, i))
            tell(context, &whole);
    }
    for (size_t i = 0; !heal->options.from && i < MOST_FIXES; i++) {
        const struct darn_section *section;
        struct darn_fix_range range;

        taken[i] = next_rule(healed, taken, i);
        section = taken[i] ? section_at(heal, taken[i]->line) : NULL;
        if (!taken[i])
            break;
        if (!section)
            continue;
        range = darn_heal_range(section);
        tell(context, &(struct darn_fix){NULL, section->variable, &range, 1});
    }
}

int darn_heal_run(struct darn_heal *heal, int *status)
{
    struct darn_launch_limit limit = {0};
    int result = pass_options(heal);

    if (!result)
        result = preload(heal);
    if (result)
        return result;
    *status = darn_launch(heal->listener, heal->options.program, false, &limit);
    unsetenv("LD_PRELOAD");
    return 0;
}

void darn_heal_account(const struct darn_heal *heal, struct darn_healed *healed)
{
    read_accounts(heal, healed);
    name_gates(heal, healed);
}
