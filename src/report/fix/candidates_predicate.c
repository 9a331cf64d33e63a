/*
 * A wait that looks at nothing misses the signal that came before it: whoever signals leaves a mark
 * under the mutex, and whoever waits looks for it. And a signal that comes before the change that
 * it announces goes behind it.
 */
#include <string.h>

#include "report/fix/patch_private.h"

struct condition {
    const char *name, *mutex; /* of globals, as `pthread_cond_wait(&name, &mutex)` has them */
    const char *mark;         /* the new variable */
};

static const char *argument(struct darn_text_pool *pool, const char *at)
{
    at += strspn(at, " \t");
    if (*at != '&')
        return "";
    return darn_pool_part(pool, at + 1,
                          strspn(at + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                         "0123456789_"));
}

/* A whole statement in the line, whose first argument is the condition. */
static bool calls(const struct darn_source *source, unsigned line, const char *function,
                  const char *name)
{
    const struct darn_source_row *row = &source->rows[line];
    const char *text = row->text + darn_source_indent(source, line);
    size_t length = strlen(function);

    return row->last == ';' && !row->directive && row->start == row->end && !row->parens &&
           strncmp(text, function, length) == 0 && text[length] == '(' && text[length + 1] == '&' &&
           darn_text_word(text + length + 2, name) == text + length + 2;
}

static bool read_wait(struct darn_text_pool *pool, const struct darn_source *source, unsigned line,
                      struct condition *condition)
{
    const char *text = source->rows[line].text + darn_source_indent(source, line);
    const char *open = strstr(text, "pthread_cond_wait("), *comma;

    if (open != text)
        return false;
    open += strlen("pthread_cond_wait(");
    comma = strchr(open, ',');
    condition->name = argument(pool, open);
    condition->mutex = comma ? argument(pool, comma + 1) : "";
    condition->mark = darn_pool_format(pool, "%s_marks", condition->name);
    return *condition->name && *condition->mutex &&
           calls(source, line, "pthread_cond_wait", condition->name);
}

/* Whether the line is the body of a loop: it looks at something already. */
static bool is_in_loop(const struct darn_source *source, unsigned line)
{
    const char *head = line > 1 ? source->rows[line - 1].text : "";

    return darn_text_word(head, "while") || darn_text_word(head, "for") ||
           darn_text_word(source->rows[line].text, "while");
}

/* Whether the function has taken the mutex in a line before, and not given it back since. */
static bool holds(const struct darn_source *source, unsigned line, const char *mutex)
{
    unsigned function = darn_source_function(source, line);

    for (unsigned i = line - 1; function && i > function; i--) {
        const char *text = source->rows[i].text;

        if (!darn_text_word(text, mutex) || source->rows[i].start > source->rows[line].start)
            continue;
        if (strstr(text, "mutex_unlock("))
            return false;
        if (strstr(text, "mutex_lock("))
            return true;
    }
    return false;
}

static void leave_mark(struct darn_source *source, unsigned line, const struct condition *condition,
                       bool counts)
{
    bool held = holds(source, line, condition->mutex);
    struct darn_text_pool *pool = &source->pool;

    if (!held)
        darn_source_put_before(
            source, line, line,
            darn_pool_format(pool, "pthread_mutex_lock(&%s);", condition->mutex));
    darn_source_put_before(source, line, line,
                           darn_pool_format(pool, counts ? "%s++;" : "%s = 1;", condition->mark));
    if (!held)
        darn_source_put_after(
            source, line, line,
            darn_pool_format(pool, "pthread_mutex_unlock(&%s);", condition->mutex));
}

static void look_for_mark(struct darn_source *source, unsigned line,
                          const struct condition *condition, bool counts)
{
    struct darn_text_pool *pool = &source->pool;
    const char *text = source->rows[line].text + darn_source_indent(source, line);

    darn_source_put_before(source, line, line,
                           darn_pool_format(pool, "while (%s == 0)", condition->mark));
    darn_source_put_before(source, line, line, darn_pool_format(pool, "    %s", text));
    if (counts)
        darn_source_put_before(source, line, line,
                               darn_pool_format(pool, "%s--;", condition->mark));
    source->rows[line].gone = true;
}

/* All waits for the condition and all signals of it, in one file. */
static void mark_condition(struct darn_patches *patches, const struct darn_source *model,
                           const struct condition *condition)
{
    struct darn_patch *patch = darn_patch_begin(patches);
    struct darn_source *source = darn_patch_file(patch, model->dir, model->file);
    unsigned first = 0, signals = 0, waits = 0;
    bool counts = true;

    for (unsigned i = 1; source && i <= source->count; i++)
        counts &= !calls(source, i, "pthread_cond_broadcast", condition->name);
    for (unsigned i = 1; source && i <= source->count; i++) {
        bool waiting = calls(source, i, "pthread_cond_wait", condition->name) &&
                       !is_in_loop(source, i) && darn_source_begins(source, i);
        bool signalling = darn_source_begins(source, i) &&
                          (calls(source, i, "pthread_cond_signal", condition->name) ||
                           calls(source, i, "pthread_cond_broadcast", condition->name));

        if (waiting)
            look_for_mark(source, i, condition, counts);
        if (signalling)
            leave_mark(source, i, condition, counts);
        waits += waiting;
        signals += signalling;
        first = first || !(waiting || signalling) ? first : i;
    }
    if (!waits || !signals) {
        darn_patch_free(patch);
        return;
    }
    first = darn_source_before_function(source, first);
    source->rows[first].before =
        darn_pool_format(&source->pool, "static int %s;\n\n%s", condition->mark,
                         source->rows[first].before ? source->rows[first].before : "");
    darn_patches_add(
        patches, patch,
        darn_pool_format(&patch->pool, "wait for a mark that '%s' was signalled", condition->name));
}

/* The signal goes before the last statement of the function that gives a mutex back. */
static void signal_last(struct darn_patches *patches, const struct darn_source *model,
                        unsigned line)
{
    struct darn_patch *patch = darn_patch_begin(patches);
    struct darn_source *source = darn_patch_file(patch, model->dir, model->file);
    unsigned function = source ? darn_source_function(source, line) : 0, last = 0;

    for (unsigned i = line + 1; function && i < darn_source_function_end(source, function); i++)
        if (strstr(source->rows[i].text, "mutex_unlock(") && source->rows[i].last == ';' &&
            source->rows[i].start == source->rows[line].start &&
            source->rows[i].conditions == source->rows[line].conditions)
            last = i;
    if (last && darn_source_begins(source, line) && darn_source_begins(source, last)) {
        darn_source_move_before(source, line, line, last);
        darn_patches_add(patches, patch, "signal when all is changed");
    } else {
        darn_patch_free(patch);
    }
}

static void try_file(struct darn_patches *patches, struct darn_patch *files,
                     const struct darn_source *source)
{
    for (unsigned i = 1; i <= source->count; i++) {
        const char *text = source->rows[i].text + darn_source_indent(source, i);
        struct condition condition;

        if (read_wait(&files->pool, source, i, &condition))
            mark_condition(patches, source, &condition);
        if ((strstr(text, "cond_signal(") || strstr(text, "cond_broadcast(")) &&
            source->rows[i].last == ';' && source->rows[i].start == source->rows[i].end)
            signal_last(patches, source, i);
    }
}

void darn_patches_predicate(struct darn_patches *patches, const struct darn_finding *finding)
{
    struct darn_patch *files = darn_patch_begin(patches);

    if (darn_finding_is(finding, "notification") || darn_finding_is(finding, "order-violation") ||
        darn_finding_is(finding, "deadlock"))
        for (size_t i = 0; i < finding->access_count; i++)
            for (size_t j = 0; j < finding->accesses[i].stack.count; j++)
                darn_patch_file(files, finding->accesses[i].stack.frames[j].dir,
                                finding->accesses[i].stack.frames[j].file);
    for (size_t i = 0; i < files->count; i++)
        try_file(patches, files, &files->files[i]);
    darn_patch_free(files);
}
