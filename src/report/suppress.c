#include "report/suppress.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "report/pattern.h"
#include "report/symbol/frames.h"

enum kind {
    RACE,
    RACE_TOP,
    DEADLOCK,
    MUTEX,
    THREAD,
    SIGNAL,
    CALLED_FROM_LIB,
    ATOMICITY,
    NOTIFICATION,
    FAILURE,
    ORDER,
    KINDS,
};

/* In the file. The last four are ours. */
static const char *const kind_names[KINDS] = {
    "race",      "race_top",     "deadlock", "mutex", "thread", "signal", "called_from_lib",
    "atomicity", "notification", "failure",  "order",
};

struct suppression {
    struct suppression *next;
    enum kind kind;
    const char *pattern; /* within `line` */
    const char *line;
    unsigned number; /* of the line */
    bool was_used;   /* it has matched something */
};

struct darn_suppressions {
    struct darn_text_pool pool;
    struct suppression *first;
};

void darn_suppressions_free(struct darn_suppressions *suppressions)
{
    if (!suppressions)
        return;
    darn_pool_release(&suppressions->pool);
    free(suppressions);
}

/* 0, or -1 when the line begins with no known kind. */
static int parse_line(struct suppression *suppression)
{
    for (unsigned kind = 0; kind < KINDS; kind++) {
        size_t length = strlen(kind_names[kind]);

        if (strncmp(suppression->line, kind_names[kind], length) == 0 &&
            suppression->line[length] == ':') {
            suppression->kind = (enum kind)kind;
            suppression->pattern = suppression->line + length + 1;
            return 0;
        }
    }
    return -1;
}

static const char *without_margins(struct darn_text_pool *pool, const char *line)
{
    const char *blank = " \t\r\n\v\f";
    size_t length;

    line += strspn(line, blank);
    length = strlen(line);
    while (length && strchr(blank, line[length - 1]))
        length--;
    return darn_pool_part(pool, line, length);
}

static int add_line(struct darn_suppressions *suppressions, struct suppression ***last,
                    const char *line, unsigned number)
{
    struct suppression *added = darn_pool_get(&suppressions->pool, 1, sizeof(*added));

    added->number = number;
    added->line = without_margins(&suppressions->pool, line);
    if (!*added->line || *added->line == '#')
        return 0;
    if (parse_line(added))
        return -1;
    **last = added;
    *last = &added->next;
    return 0;
}

static void say_unknown_kind(const char *path, unsigned number, char *error, size_t error_size)
{
    size_t used = (size_t)snprintf(error, error_size, "%s:%u: a suppression begins with one of",
                                   path, number);

    for (unsigned kind = 0; kind < KINDS && used < error_size; kind++)
        used += (size_t)snprintf(error + used, error_size - used, " %s:", kind_names[kind]);
}

static int read_lines(struct darn_suppressions *suppressions, FILE *file, const char *path,
                      char *error, size_t error_size)
{
    struct suppression **last = &suppressions->first;
    char *line = NULL;
    size_t room = 0;
    unsigned number = 0;
    int result = 0;

    while (!result && getline(&line, &room, file) >= 0) {
        number++;
        result = add_line(suppressions, &last, line, number);
    }
    free(line);
    if (result) {
        say_unknown_kind(path, number, error, error_size);
    } else if (ferror(file)) {
        snprintf(error, error_size, "%s:%u: cannot be read: %s", path, number + 1, strerror(errno));
        result = -1;
    }
    return result;
}

static FILE *open_beside(const char *path, const char *program)
{
    const char *slash = program ? strrchr(program, '/') : NULL;
    struct darn_text_pool pool = {0};
    FILE *file;

    if (!slash || path[0] == '/')
        return NULL;
    file = fopen(darn_pool_format(&pool, "%.*s/%s", (int)(slash - program), program, path), "re");
    darn_pool_release(&pool);
    return file;
}

static FILE *open_file(const char *path, const char *program, char *error, size_t error_size)
{
    FILE *file = fopen(path, "re");
    int why = errno;

    if (!file && why == ENOENT)
        file = open_beside(path, program);
    if (!file)
        snprintf(error, error_size, "%s: the suppressions cannot be read: %s", path, strerror(why));
    return file;
}

struct darn_suppressions *darn_suppressions_read(const char *path, const char *program, char *error,
                                                 size_t error_size)
{
    struct darn_suppressions *suppressions;
    FILE *file = open_file(path, program, error, error_size);

    if (!file)
        return NULL;
    suppressions = darn_need_zeroed(1, sizeof(*suppressions));
    if (read_lines(suppressions, file, path, error, error_size)) {
        darn_suppressions_free(suppressions);
        suppressions = NULL;
    }
    fclose(file);
    return suppressions;
}

/* Which kinds of suppression concern a kind of finding: `kind` in any frame, `top` in the first.
 * -1: none. */
static int kinds_for(const struct darn_finding *finding, int *top)
{
    *top = -1;
    if (strcmp(finding->kind, "data-race") == 0) {
        *top = RACE_TOP;
        return RACE;
    }
    if (strcmp(finding->kind, "deadlock") == 0)
        return DEADLOCK;
    if (strcmp(finding->kind, "atomicity-violation") == 0 ||
        strcmp(finding->kind, "high-level-race") == 0)
        return ATOMICITY;
    if (strcmp(finding->kind, "order-violation") == 0)
        return ORDER;
    if (strcmp(finding->kind, "notification") == 0)
        return NOTIFICATION;
    if (strcmp(finding->kind, "sync-misuse") == 0)
        return MUTEX;
    if (strcmp(finding->kind, "failure") == 0)
        return FAILURE;
    return -1;
}

/* The file as it is printed, and as TSan knows it: with the directory of the compilation. */
static bool matches_file(const char *pattern, const struct darn_frame *frame)
{
    struct darn_text_pool pool = {0};
    bool matches = darn_pattern_matches(pattern, frame->file);

    if (!matches && frame->file && frame->dir && frame->file[0] != '/') {
        matches = darn_pattern_matches(pattern,
                                       darn_pool_format(&pool, "%s/%s", frame->dir, frame->file));
        darn_pool_release(&pool);
    }
    return matches;
}

static bool matches_frame(const char *pattern, const struct darn_frame *frame)
{
    return darn_pattern_matches(pattern, frame->function) || matches_file(pattern, frame) ||
           darn_pattern_matches(pattern, frame->module);
}

static bool matches_stack(const char *pattern, const struct darn_finding_stack *stack)
{
    for (size_t i = 0; i < stack->count; i++)
        if (matches_frame(pattern, &stack->frames[i]))
            return true;
    return false;
}

/* Where the locks were taken belongs to a deadlock as much as where the threads wait. */
static bool matches_locks(const char *pattern, const struct darn_finding_access *access)
{
    for (size_t i = 0; i < access->lock_count; i++)
        if (matches_stack(pattern, &access->locks[i].stack))
            return true;
    return false;
}

static bool matches_target(const char *pattern, const struct darn_finding_access *access)
{
    const struct darn_symbol *symbol = &access->target.symbol;

    return darn_pattern_matches(pattern, symbol->name) ||
           darn_pattern_matches(pattern, symbol->module);
}

static bool matches_anywhere(const char *pattern, const struct darn_finding *finding)
{
    const struct darn_symbol *global = &finding->location.symbol;
    bool race = darn_finding_is(finding, "data-race");

    for (size_t i = 0; i < finding->access_count; i++) {
        const struct darn_finding_access *access = &finding->accesses[i];

        if (matches_stack(pattern, &access->stack) ||
            (!race && (matches_locks(pattern, access) || matches_target(pattern, access))))
            return true;
    }
    for (size_t i = 0; i < finding->thread_count; i++)
        if (matches_stack(pattern, &finding->threads[i].stack))
            return true;
    /* A text trace has no stacks, and each of its variables is like a global. */
    if (finding->from_text_trace && darn_pattern_matches(pattern, finding->variable))
        return true;
    return finding->location.kind == DARN_LOCATION_GLOBAL &&
           (darn_pattern_matches(pattern, global->name) ||
            darn_pattern_matches(pattern, global->module));
}

static bool matches_top(const char *pattern, const struct darn_finding *finding)
{
    for (size_t i = 0; i < finding->access_count; i++) {
        const struct darn_finding_stack *stack = &finding->accesses[i].stack;

        if (stack->count && matches_frame(pattern, &stack->frames[0]))
            return true;
    }
    return false;
}

/* In TSan: accesses that an intercepted function makes for a library. Those have no site. */
static bool matches_caller(const char *pattern, const struct darn_finding *finding)
{
    for (size_t i = 0; i < finding->access_count; i++) {
        const struct darn_finding_access *access = &finding->accesses[i];

        if (!access->has_site && access->stack.count &&
            darn_pattern_matches(pattern, access->stack.frames[0].module))
            return true;
    }
    return false;
}

const char *darn_suppressions_match(struct darn_suppressions *suppressions,
                                    const struct darn_finding *finding)
{
    int top, kind = kinds_for(finding, &top);

    for (struct suppression *one = suppressions->first; one; one = one->next) {
        if (((int)one->kind == kind && matches_anywhere(one->pattern, finding)) ||
            ((int)one->kind == top && matches_top(one->pattern, finding)) ||
            (one->kind == CALLED_FROM_LIB && kind == RACE &&
             matches_caller(one->pattern, finding))) {
            one->was_used = true;
            return one->line;
        }
    }
    return NULL;
}

size_t darn_suppressions_unused(const struct darn_suppressions *suppressions,
                                void (*tell)(void *context, unsigned number, const char *line),
                                void *context)
{
    size_t count = 0;

    for (const struct suppression *one = suppressions->first; one; one = one->next) {
        if (one->was_used)
            continue;
        tell(context, one->number, one->line);
        count++;
    }
    return count;
}

/* The most telling name of the finding that a pattern can match. */
static const char *name_to_match(const struct darn_finding *finding)
{
    const struct darn_finding_stack *stack = &finding->accesses[0].stack;

    for (size_t i = 0; i < stack->count; i++) {
        const struct darn_frame *frame = &stack->frames[i];
        const char *name = frame->function ? frame->function : frame->file;

        /* One of a library, as std::mutex::lock or abort, would match far too much. */
        if ((darn_frame_is_library(frame) || darn_frame_is_libc(frame) ||
             darn_frame_is_runtime(frame)) &&
            i + 1 < stack->count)
            continue;
        if (name || frame->module)
            return name ? name : frame->module;
    }
    if (finding->accesses[0].target.symbol.name)
        return finding->accesses[0].target.symbol.name;
    if (finding->from_text_trace)
        return finding->variable;
    return finding->location.kind == DARN_LOCATION_GLOBAL ? finding->location.symbol.name : NULL;
}

const char *darn_suppression_for(const struct darn_finding *finding, struct darn_text_pool *pool)
{
    int top, kind = kinds_for(finding, &top);
    const char *name = name_to_match(finding);
    char *line;

    if (kind < 0 || !name)
        return NULL;
    line = darn_pool_format(pool, "%s:%s", kind_names[kind], name);
    /* In a name, as in `main::$_0::operator()`, a dollar is no anchor. */
    for (char *c = line; *c; c++)
        if (*c == '$')
            *c = '*';
    return line;
}
