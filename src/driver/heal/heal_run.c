/*
 * A healed run, and what is said after it.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/color.h"
#include "driver/heal/healing.h"
#include "driver/process/launch.h"
#include "driver/process/installation.h"
#include "driver/process/program.h"
#include "report/heal/heal_report.h"
#include "report/sink.h"
#include "section/deadlock.h"

#define ACCOUNT    "account"
#define ROOM       (256 * 1024) /* for the strings of one signature */
#define MOST_FIXES 3 /* of a repository that was given: those that were waited for most */

/* ---- the run ---- */

static int set_option(struct darn_options *options, const char *name, const char *value)
{
    char error[DARN_OPTIONS_ERROR];

    if (value && *value && darn_options_set(options, name, value, error, sizeof(error)))
        return darn_refuse("heal", "%s", error);
    return 0;
}

int darn_heal_set_options(const struct darn_heal *heal, struct darn_options *options)
{
    const char *variable = getenv(DARN_OPTIONS_VARIABLE);
    char error[DARN_OPTIONS_ERROR];
    int status = 0;

    darn_options_default(options);
    if (variable && darn_options_parse(options, variable, error, sizeof(error)))
        return darn_refuse("heal", DARN_OPTIONS_VARIABLE ": %s", error);
    status = set_option(options, "heal", heal->file);
    if (!status)
        status = set_option(options, "heal_with", heal->line.with);
    if (!status)
        status = set_option(options, "heal_bound", heal->line.bound);
    return status;
}

/* The account and what it learns go to files. 0 or an exit status. */
static int pass_options(const struct darn_heal *heal)
{
    static struct darn_options options;
    char path[PATH_MAX + 16], absolute[PATH_MAX];
    int status = darn_heal_set_options(heal, &options);

    snprintf(path, sizeof(path), "%s/" ACCOUNT, heal->directory);
    if (!status)
        status = set_option(&options, "heal_out", path);
    if (!status && heal->line.learn) {
        int result = darn_absolute_path(heal->line.learn, absolute, sizeof(absolute));

        status = result ? darn_refuse("heal", "--learn: %s", strerror(-result))
                        : set_option(&options, "heal_learn", absolute);
    }
    return status ? status : darn_pass_options("heal", &options);
}

/* The runtime comes into a program that darn has not compiled by way of the loader. 0 or an exit
 * status. */
static int preload(const struct darn_heal *heal)
{
    static char list[2 * PATH_MAX];
    const char *others = getenv("LD_PRELOAD");
    struct darn_parts parts;

    if (heal->compiled)
        return 0;
    if (darn_program_is_static(heal->path))
        return darn_refuse("heal",
                           "%s is linked statically, and was not compiled by darn cc: "
                           "nothing can be healed",
                           heal->line.program[0]);
    if (darn_parts_find(&parts) || access(parts.preload, R_OK))
        return darn_refuse("heal", "%s is missing; install darn again", parts.preload);
    snprintf(list, sizeof(list), "%s%s%s", parts.preload, others && *others ? ":" : "",
             others ? others : "");
    if (setenv("LD_PRELOAD", list, 1))
        return darn_refuse("heal", "the environment cannot be set: %s", strerror(errno));
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
    free(text);
}

/* ---- fixes ---- */

static const struct darn_section *section_at(const struct darn_heal *heal, uint64_t line)
{
    for (size_t i = 0; line && i < heal->repository.count; i++)
        if (heal->repository.list[i]->position == line && !heal->repository.list[i]->why)
            return heal->repository.list[i];
    return NULL;
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

typedef void fix_printer(void *context, const struct darn_fix *fix);

/* Hands each fix that is worth it to `print`. */
static void each_fix(const struct darn_heal *heal, const struct darn_healed *healed,
                     fix_printer *print, void *context)
{
    const struct darn_healed_rule *taken[MOST_FIXES];

    for (size_t i = 0; heal->fixes && i < heal->findings.count; i++) {
        const struct darn_heal_fix *fix = &heal->fixes[i];
        const char *variable = fix->finding->variable;
        struct darn_fix whole = {fix->finding, variable ? variable : "", fix->ranges, fix->count};

        if ((fix->count || darn_finding_is(fix->finding, "deadlock")) && !is_repeated(heal, i))
            print(context, &whole);
    }
    for (size_t i = 0; !heal->line.from && i < MOST_FIXES; i++) {
        const struct darn_section *section;
        struct darn_fix_range range;

        taken[i] = next_rule(healed, taken, i);
        section = taken[i] ? section_at(heal, taken[i]->line) : NULL;
        if (!taken[i])
            break;
        if (!section)
            continue;
        range = darn_heal_range(heal, section, -1);
        print(context, &(struct darn_fix){NULL, section->variable, &range, 1});
    }
}

static void print_fix(void *style, const struct darn_fix *fix)
{
    darn_fix_print(stderr, fix, style);
}

/* As one object in a line: the words, and the patch. */
static void print_json_fix(void *out, const struct darn_fix *fix)
{
    static const struct darn_style plain;
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    json_t *object;

    if (!to)
        return;
    darn_fix_print(to, fix, &plain);
    fclose(to);
    object = json_pack("{s:{s:s, s:s?, s:s}}", "fix", "variable", fix->variable, "finding",
                       fix->finding ? fix->finding->id : NULL, "text", text);
    if (object) {
        json_dumpf(object, out, JSON_COMPACT | JSON_PRESERVE_ORDER);
        fputc('\n', out);
    }
    json_decref(object);
    free(text);
}

/* ---- the report ---- */

static int write_json(const struct darn_heal *heal, const struct darn_healed *healed)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    int result = out ? 0 : -ENOMEM;

    if (out) {
        darn_healed_print_json(out, healed);
        each_fix(heal, healed, print_json_fix, out);
        fclose(out);
        result = darn_sink_append(heal->line.json, text, length);
    }
    free(text);
    if (result)
        darn_lost("heal", "json: %s cannot be written: %s", heal->line.json, strerror(-result));
    return result;
}

/* Whether it is there. */
static bool say_learned(const struct darn_heal *heal)
{
    struct darn_sections learned = {0};
    uint32_t errors = 0;

    if (access(heal->line.learn, F_OK)) {
        darn_warn("heal", "%s was not written", heal->line.learn);
        return false;
    }
    if (darn_section_file_load("heal", heal->line.learn, &learned, &errors) == 0)
        fprintf(stderr, "darn heal: %s: %zu section%s to be healed from the beginning next time\n",
                heal->line.learn, learned.count, learned.count == 1 ? "" : "s");
    darn_sections_free(&learned);
    return true;
}

/* The file that the runtime has read is the user's own. */
static bool is_given(const struct darn_heal *heal)
{
    return heal->line.sections && !heal->line.from && !heal->signatures.count;
}

/* 0, or 1 when a file that was asked for could not be written. */
static int report(const struct darn_heal *heal)
{
    struct darn_healed healed = {.with = NULL};
    bool lost = false;
    struct darn_style style = {heal->line.strip_path_prefix,
                               darn_wants_color(heal->line.color, STDERR_FILENO)};

    read_accounts(heal, &healed);
    name_gates(heal, &healed);
    if (!healed.with) {
        darn_lost("heal", "%s has left no account of what was healed", heal->line.program[0]);
    } else {
        darn_healed_print(stderr, &healed, is_given(heal) ? heal->line.sections : NULL,
                          heal->line.program[0], &style);
        each_fix(heal, &healed, print_fix, &style);
        lost = heal->line.json && write_json(heal, &healed);
    }
    if (heal->line.learn && !say_learned(heal))
        lost = true;
    darn_healed_free(&healed);
    return lost;
}

int darn_heal_run(struct darn_heal *heal)
{
    struct darn_launch_limit limit = {0};
    int status = pass_options(heal), lost;

    if (!status)
        status = preload(heal);
    if (status)
        return status;
    status = darn_launch("heal", heal->line.program, false, &limit);
    unsetenv("LD_PRELOAD");
    lost = report(heal);
    return status ? status : lost;
}
