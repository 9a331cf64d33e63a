/*
 * Lines under a lock: it is taken before them, and given back behind them and before each way out.
 */
#include <stdlib.h>
#include <string.h>

#include "report/fix/patch_private.h"

struct guarding {
    struct darn_patch *patch;
    const struct darn_guard_words *words;
    bool failed;
};

/* A statement that takes the lock, or with `gives` gives it back. */
static bool is_about_lock(const struct guarding *guarding, const char *line, bool gives)
{
    const char *unlock = strstr(line, "unlock");

    return darn_text_word(line, guarding->words->name) &&
           (gives ? unlock != NULL : !unlock && strstr(line, "lock"));
}

static bool is_about_other(const struct guarding *guarding, const char *line)
{
    return !is_about_lock(guarding, line, true) && !is_about_lock(guarding, line, false);
}

/* What a `return` gives back may need the lock. Names and numbers of their own do not. */
static bool is_plain(const char *value)
{
    return !*value || !strpbrk(value, "([.>*&+-/%<=?");
}

static const char *indent_of(struct darn_source *source, unsigned line)
{
    return darn_pool_part(&source->pool, source->rows[line].text, darn_source_indent(source, line));
}

static bool begins_with(const char *text, const char *word)
{
    text += strspn(text, " \t");
    return darn_text_word(text, word) == text;
}

/* `return balance;` becomes: take the value, give the lock back, return. */
static void patch_whole(struct guarding *guarding, struct darn_source *source, unsigned line,
                        unsigned like, const char *text)
{
    const char *value = text + strlen("return"), *indent = indent_of(source, like);
    struct darn_source_row *row = &source->rows[line];

    value = begins_with(text, "return") ? value + strspn(value, " \t") : "";
    value = darn_pool_part(&source->pool, value, strcspn(value, ";"));
    if (is_plain(value)) {
        row->gone = false;
        darn_source_put_before(source, line, like, guarding->words->give);
        return;
    }
    row->gone = true;
    row->before = darn_pool_format(&source->pool, "%s%s%s result = %s;\n%s%s\n%sreturn result;\n",
                                   row->before ? row->before : "", indent,
                                   darn_text_is_cxx(source->file) ? "auto" : "__auto_type", value,
                                   indent, guarding->words->give, indent);
}

static bool is_way_out(const char *text)
{
    return begins_with(text, "return") || begins_with(text, "break") ||
           begins_with(text, "continue");
}

/* A way out between the lines. */
static void patch_way_out(struct guarding *guarding, struct darn_source *source, unsigned line)
{
    struct darn_source_row *row = &source->rows[line];
    const char *text = row->text + strspn(row->text, " \t");
    unsigned head;

    if (!is_way_out(text) || row->last != ';' || row->parens) {
        guarding->failed = true;
        return;
    }
    if (darn_source_begins(source, line)) {
        patch_whole(guarding, source, line, line, text);
        return;
    }
    for (head = line - 1; head > 1 && !darn_source_begins(source, head);)
        head--;
    row->gone = true;
    darn_source_put_before(source, line, head, "{");
    darn_source_put_before(source, line, line, guarding->words->give);
    darn_source_put_before(source, line, line, text);
    darn_source_put_before(source, line, head, "}");
}

/* Whether a `break` or `continue` in the line stays within the lines from `first` on. */
static bool has_loop(const struct darn_source *source, unsigned first, unsigned line)
{
    int depth = source->rows[line].start;

    for (unsigned i = line; i >= first; i--) {
        const struct darn_source_row *row = &source->rows[i];

        if (i != line && row->start >= depth)
            continue;
        depth = row->start;
        if (darn_text_word(row->text, "for") || darn_text_word(row->text, "while") ||
            darn_text_word(row->text, "do") || darn_text_word(row->text, "switch"))
            return true;
    }
    return false;
}

static void patch_ways_out(struct guarding *guarding, struct darn_source *source, unsigned first,
                           unsigned last)
{
    for (unsigned i = first; i <= last; i++) {
        const char *text = source->rows[i].text;

        if (!source->rows[i].last || source->rows[i].directive)
            continue;
        if (darn_text_word(text, "return") ||
            ((darn_text_word(text, "break") || darn_text_word(text, "continue")) &&
             !has_loop(source, first, i)))
            patch_way_out(guarding, source, i);
    }
}

/* What was held for reading before is held for writing from the start, if the second part needs it
 * so. */
static void take_for_writing(const struct guarding *guarding, struct darn_source *source,
                             unsigned gives, unsigned takes)
{
    unsigned function = darn_source_function(source, gives);

    if (strstr(source->rows[takes].text, "rdlock"))
        return;
    for (unsigned i = gives - 1; function && i > function; i--) {
        const char *text = source->rows[i].text, *at = strstr(text, "rdlock");

        if (!is_about_lock(guarding, text, false))
            continue;
        if (at)
            darn_source_replace(source, i,
                                darn_pool_format(&source->pool, "%.*swrlock%s", (int)(at - text),
                                                 text, at + strlen("rdlock")));
        return;
    }
}

/* The lock is given back between the lines: it no longer is. */
static void merge(struct guarding *guarding, struct darn_source *source,
                  const struct darn_stretch *stretch)
{
    unsigned gives = 0, takes = 0;

    for (unsigned i = stretch->first; i <= stretch->last; i++) {
        const char *text = source->rows[i].text;

        if (is_about_other(guarding, text) || source->rows[i].last != ';')
            continue;
        if (!gives && is_about_lock(guarding, text, true))
            gives = i;
        else if (gives && is_about_lock(guarding, text, false))
            takes = i;
    }
    if (!gives || !takes) {
        guarding->failed = true;
        return;
    }
    take_for_writing(guarding, source, gives, takes);
    for (unsigned i = gives; i <= takes; i++)
        source->rows[i].gone |= !is_about_other(guarding, source->rows[i].text);
    patch_ways_out(guarding, source, gives + 1, takes - 1);
}

/* Whether the lines take the lock themselves, or come, in their function, behind its end: it would
 * be taken twice, or when it is gone. */
static bool is_in_the_way(const struct guarding *guarding, const struct darn_source *source,
                          const struct darn_stretch *stretch)
{
    const char *name = guarding->words->name;
    unsigned function = darn_source_function(source, stretch->first);

    for (unsigned i = stretch->first; i <= stretch->last; i++)
        if (source->rows[i].last && (is_about_lock(guarding, source->rows[i].text, false) ||
                                     is_about_lock(guarding, source->rows[i].text, true)))
            return true;
    for (unsigned i = function; function && i <= stretch->last; i++)
        if (source->rows[i].last && darn_text_word(source->rows[i].text, name) &&
            strstr(source->rows[i].text, "destroy"))
            return true;
    return false;
}

static void wrap(struct guarding *guarding, struct darn_source *source,
                 const struct darn_stretch *stretch)
{
    if (is_in_the_way(guarding, source, stretch)) {
        guarding->failed = true;
        return;
    }
    darn_source_put_before(source, stretch->first, stretch->first, guarding->words->take);
    patch_ways_out(guarding, source, stretch->first, stretch->last);
    if (!is_way_out(source->rows[stretch->last].text) || !darn_source_begins(source, stretch->last))
        darn_source_put_after(source, stretch->last, stretch->first, guarding->words->give);
}

static int by_line(const void *one, const void *other)
{
    const struct darn_stretch *a = one, *b = other;

    return (a->first > b->first) - (a->first < b->first);
}

/* Lines that meet are one stretch: the lock must not be taken twice. */
static size_t join(const struct darn_source *source, struct darn_stretch *list, size_t count)
{
    size_t kept = 0;

    qsort(list, count, sizeof(*list), by_line);
    for (size_t i = 0; i < count; i++) {
        struct darn_stretch *last = kept ? &list[kept - 1] : NULL;

        if (last && list[i].first <= last->last && !last->merges && !list[i].merges) {
            if (list[i].last > last->last)
                last->last = list[i].last;
            darn_source_widen(source, &last->first, &last->last);
        } else if (!last || list[i].first > last->last) {
            list[kept++] = list[i];
        }
    }
    return kept;
}

static bool is_same(const char *one, const char *other)
{
    return one && other && strcmp(one, other) == 0;
}

/* The stretches of a file. */
static void guard_file(struct guarding *guarding, struct darn_source *source,
                       const struct darn_stretch *all, size_t count)
{
    struct darn_stretch list[DARN_MOST_STRETCHES];
    size_t used = 0;

    for (size_t i = 0; i < count && used < DARN_MOST_STRETCHES; i++) {
        struct darn_stretch stretch = all[i];

        if (!is_same(stretch.file, source->file))
            continue;
        if (!stretch.merges && !darn_source_widen(source, &stretch.first, &stretch.last))
            guarding->failed = true;
        else if (stretch.last <= source->count)
            list[used++] = stretch;
    }
    used = join(source, list, used);
    for (size_t i = 0; i < used; i++) {
        if (list[i].merges)
            merge(guarding, source, &list[i]);
        else
            wrap(guarding, source, &list[i]);
    }
}

/* Before the first function that needs it; a lock that two files need is seen by both. */
static void declare(const struct guarding *guarding, struct darn_source *source, unsigned line,
                    bool is_first, bool is_only)
{
    const struct darn_guard_words *words = guarding->words;
    const char *text = is_first ? words->declaration : words->elsewhere;

    line = darn_source_before_function(source, line);
    source->rows[line].before =
        darn_pool_format(&source->pool, "%s%s\n\n%s", is_first && is_only ? "static " : "", text,
                         source->rows[line].before ? source->rows[line].before : "");
    darn_source_include(source, words->header);
}

static unsigned first_line_in(const struct darn_source *source, const struct darn_stretch *list,
                              size_t count)
{
    unsigned first = 0;

    for (size_t i = 0; i < count; i++)
        if (is_same(list[i].file, source->file) && (!first || list[i].first < first))
            first = list[i].first;
    return first;
}

bool darn_patch_guard(struct darn_patch *patch, const struct darn_guard_words *words,
                      const struct darn_stretch *list, size_t count)
{
    struct guarding guarding = {.patch = patch, .words = words};

    for (size_t i = 0; i < count; i++)
        if (!darn_patch_file(patch, list[i].dir, list[i].file))
            return false;
    for (size_t i = 0; i < patch->count && !guarding.failed; i++) {
        struct darn_source *source = &patch->files[i];
        unsigned first = first_line_in(source, list, count);

        guard_file(&guarding, source, list, count);
        if (words->declaration && first)
            declare(&guarding, source, first, i == 0, patch->count == 1);
    }
    return !guarding.failed;
}
