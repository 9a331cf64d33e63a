/*
 * The variable is copied under the lock that others hold, and the copy is used: where the statement
 * that reads it takes that lock itself, or takes long, the lock cannot be held around it.
 */
#include <string.h>

#include "report/fix/patch_private.h"

static bool holds(const struct darn_finding_access *access, const struct darn_lock *lock)
{
    for (size_t i = 0; i < access->lock_count; i++)
        if (access->locks[i].address == lock->address)
            return true;
    return false;
}

/* Where the line reads the expression; NULL: nowhere, or it changes it, or takes its address. */
static const char *find_read(const char *line, const char *expression)
{
    const char *at = darn_text_word(line, expression), *next = at ? at + strlen(expression) : NULL;

    if (!at || (at > line && strchr(".>&+-*", at[-1])))
        return NULL;
    next += strspn(next, " \t");
    if (!*next || (next[0] == '=' && next[1] != '=') || (*next && strchr("[(.", *next)) ||
        (next[0] == '-' && next[1] == '>') || (strchr("+-", next[0]) && next[0] == next[1]) ||
        (strchr("+-*/%&|^", next[0]) && next[1] == '='))
        return NULL;
    return at;
}

static bool is_statement(const struct darn_source *source, unsigned line)
{
    const struct darn_source_row *row;

    if (!line || line > source->count)
        return false;
    row = &source->rows[line];
    return darn_source_function(source, line) && darn_source_begins(source, line) &&
           row->last == ';' && !row->parens && row->start == row->end &&
           !darn_text_word(row->text, "for");
}

static bool copy_at(struct darn_source *source, unsigned line, const char *expression,
                    const struct darn_guard_words *words)
{
    struct darn_text_pool *pool = &source->pool;
    const char *text, *at;
    const char *name = darn_pool_format(pool, "%s_copy", darn_text_last_name(pool, expression));

    if (!is_statement(source, line) || darn_source_mentions(source, name))
        return false;
    text = source->rows[line].text;
    at = find_read(text, expression);
    if (!at || find_read(at + 1, expression) || darn_text_word(at + 1, expression))
        return false;
    darn_source_put_before(source, line, line, words->take);
    darn_source_put_before(source, line, line,
                           darn_pool_format(pool, "%s %s = %s;",
                                            darn_text_is_cxx(source->file) ? "auto" : "__auto_type",
                                            name, expression));
    darn_source_put_before(source, line, line, words->give);
    darn_source_replace(
        source, line,
        darn_pool_format(pool, "%.*s%s%s", (int)(at - text), text, name, at + strlen(expression)));
    return true;
}

/* The others that do not hold it take it. */
static bool guard_others(struct darn_patch *patch, const struct darn_finding *finding,
                         size_t reader, const struct darn_lock *lock,
                         const struct darn_guard_words *words)
{
    struct darn_stretch list[DARN_MOST_STRETCHES];
    size_t count = 0;

    for (size_t i = 0; i < finding->access_count && count < DARN_MOST_STRETCHES; i++) {
        const struct darn_finding_access *access = &finding->accesses[i];

        if (i != reader && !holds(access, lock))
            list[count++] = (struct darn_stretch){.dir = access->dir,
                                                  .file = access->file,
                                                  .first = access->line,
                                                  .last = access->line};
    }
    return !count || darn_patch_guard(patch, words, list, count);
}

static void try_copy(struct darn_patches *patches, const struct darn_finding *finding,
                     size_t reader, const struct darn_lock *lock)
{
    const struct darn_finding_access *access = &finding->accesses[reader];
    struct darn_patch *patch = darn_patch_begin(patches);
    struct darn_source *source = darn_patch_file(patch, access->dir, access->file);
    struct darn_guard_words words;

    if (source && !holds(access, lock) && darn_guard_words_of(patch, lock, &words) &&
        copy_at(source, access->line, finding->variable, &words) &&
        guard_others(patch, finding, reader, lock, &words))
        darn_patches_add(patches, patch,
                         darn_pool_format(&patch->pool, "copy '%s' under '%s' at line %u",
                                          finding->variable, words.name, access->line));
    else
        darn_patch_free(patch);
}

void darn_patches_copy(struct darn_patches *patches, const struct darn_finding *finding)
{
    if (!darn_finding_is(finding, "data-race") || !finding->variable)
        return;
    for (size_t i = 0; i < finding->access_count; i++) {
        if (finding->accesses[i].op != DARN_OP_READ)
            continue;
        for (size_t j = 0; j < finding->access_count; j++)
            for (size_t k = 0; k < finding->accesses[j].lock_count; k++)
                try_copy(patches, finding, i, &finding->accesses[j].locks[k]);
        for (size_t j = 0; j < finding->guard_count; j++)
            try_copy(patches, finding, i, &finding->guards[j]);
    }
}
