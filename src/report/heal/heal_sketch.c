/*
 * A patch that puts lines under a lock. It is a sketch: it is made from the text of the source, and
 * nobody has compiled it.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report/heal/heal_fix.h"
#include "report/heal/heal_source.h"
#include "report/text/source.h"

#define MOST_RANGES 32

struct sketch {
    struct darn_text_pool pool;
    const struct darn_fix *fix;
    const struct darn_lock *held;     /* NULL: a new one */
    const char *lock, *unlock;        /* statements */
    const char *name;                 /* of the lock: its last part */
    const char *declaration;          /* of a new one; NULL: it is there */
    unsigned left_early[MOST_RANGES]; /* lines that leave in a way that is not patched */
    size_t left_count;
};

/* Lines of one file. */
struct stretch {
    unsigned first, last, entry, end;
    bool merges;
};

static bool is_cxx(const char *file)
{
    const char *dot = strrchr(file, '.');

    return dot && strcmp(dot, ".c") != 0 && strcmp(dot, ".h") != 0;
}

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* `lock` of `&acct->lock` and `acct->lock`, `forks` of `forks[1]`. */
static const char *last_name(struct darn_text_pool *pool, const char *text)
{
    size_t end = strlen(text), start;

    while (end && (text[end - 1] == ']' || text[end - 1] == ')')) {
        while (end && text[end - 1] != '[' && text[end - 1] != '(')
            end--;
        end -= end > 0;
    }
    while (end && !is_of_name(text[end - 1]))
        end--;
    for (start = end; start && is_of_name(text[start - 1]);)
        start--;
    return darn_pool_part(pool, text + start, end - start);
}

/* What is between the parentheses of a call whose name ends in `lock`, in the line where the lock
 * was taken; NULL when there is none. */
static const char *argument_of_call(struct darn_text_pool *pool, const char *line)
{
    const char *call = strstr(line, "lock(");
    const char *start = call ? call + strlen("lock(") : NULL, *end;
    int open = 1;

    if (!call || strstr(line, "unlock("))
        return NULL;
    for (end = start; *end && open; end++)
        open += *end == '(' ? 1 : *end == ')' ? -1 : 0;
    if (open || end - 1 == start || memchr(start, ',', (size_t)(end - start)))
        return NULL;
    return darn_pool_part(pool, start, (size_t)(end - 1 - start));
}

/* How the source calls the lock, as what a pointer to it is made from: `bank_lock`, `acct->lock`;
 * NULL when nobody knows. */
static const char *expression_of(struct sketch *sketch, const struct darn_lock *lock,
                                 const char *dir)
{
    char *line = lock->taken.file && lock->taken.line
                     ? darn_source_line(lock->taken.dir ? lock->taken.dir : dir, lock->taken.file,
                                        lock->taken.line)
                     : NULL;
    const char *argument = line ? argument_of_call(&sketch->pool, line) : NULL;

    free(line);
    if (lock->symbol.part)
        return lock->symbol.part;
    if (lock->symbol.name && !lock->symbol.name_offset)
        return lock->symbol.name;
    if (!argument)
        return NULL;
    return *argument == '&' ? argument + 1 : darn_pool_format(&sketch->pool, "*%s", argument);
}

static const char *pointer_to(struct sketch *sketch, const char *expression)
{
    return *expression == '*' ? expression + 1 : darn_pool_format(&sketch->pool, "&%s", expression);
}

static void use_lock(struct sketch *sketch, const char *kind, const char *expression, bool cxx)
{
    const char *pointer = pointer_to(sketch, expression);
    const char *family = strcmp(kind, "spin") == 0                                 ? "spin_"
                         : strcmp(kind, "read") == 0 || strcmp(kind, "write") == 0 ? "rwlock_"
                                                                                   : "mutex_";
    struct darn_text_pool *pool = &sketch->pool;

    sketch->name = last_name(pool, expression);
    if (cxx) {
        sketch->lock = darn_pool_format(pool, "%s.lock();", expression);
        sketch->unlock = darn_pool_format(pool, "%s.unlock();", expression);
        return;
    }
    sketch->lock = darn_pool_format(pool, "pthread_%s%slock(%s);", family,
                                    strcmp(family, "rwlock_") == 0 ? "wr" : "", pointer);
    sketch->unlock = darn_pool_format(pool, "pthread_%sunlock(%s);", family, pointer);
}

static void make_lock(struct sketch *sketch, bool cxx)
{
    const char *variable = last_name(&sketch->pool, sketch->fix->variable);
    const char *name = darn_pool_format(&sketch->pool, "%s_lock", *variable ? variable : "new");

    use_lock(sketch, "mutex", name, cxx);
    sketch->declaration = darn_pool_format(
        &sketch->pool,
        cxx ? "static std::mutex %s;" : "static pthread_mutex_t %s = PTHREAD_MUTEX_INITIALIZER;",
        name);
}

/* False when the lock has no name that could be written down. */
static bool choose_lock(struct sketch *sketch)
{
    const struct darn_fix_range *first = &sketch->fix->ranges[0];
    const char *expression;
    bool cxx = is_cxx(first->file);

    sketch->held = darn_fix_lock(sketch->fix->finding);
    if (!sketch->held) {
        make_lock(sketch, cxx);
        return true;
    }
    expression = expression_of(sketch, sketch->held, first->dir);
    if (!expression)
        return false;
    use_lock(sketch, sketch->held->kind ? sketch->held->kind : "mutex", expression, cxx);
    return true;
}

static bool holds_already(const struct sketch *sketch, const struct darn_fix_range *range)
{
    const struct darn_finding *finding = sketch->fix->finding;
    const struct darn_finding_access *access;

    if (!sketch->held || !finding || range->access < 0 ||
        (size_t)range->access >= finding->access_count)
        return false;
    access = &finding->accesses[range->access];
    for (size_t i = 0; i < access->lock_count; i++)
        if (access->locks[i].address == sketch->held->address)
            return true;
    return false;
}

/* ---- the lines ---- */

/* Whether the line has the word. */
static const char *find_word(const char *line, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = line; length && (at = strstr(at, word)); at++)
        if ((at == line || !is_of_name(at[-1])) && !is_of_name(at[length]))
            return at;
    return NULL;
}

/* A statement that takes the lock, or with `gives` gives it back. */
static bool is_about_lock(const struct sketch *sketch, const char *line, bool gives)
{
    const char *unlock = strstr(line, "unlock");

    return find_word(line, sketch->name) &&
           (gives ? unlock != NULL : !unlock && strstr(line, "lock"));
}

static bool is_about_other(const struct sketch *sketch, const char *line)
{
    return !is_about_lock(sketch, line, true) && !is_about_lock(sketch, line, false);
}

/* A way out between the lines: the lock is given back before it. */
static void patch_return(struct sketch *sketch, struct darn_source *source, unsigned line)
{
    struct darn_source_row *row = &source->rows[line];
    const char *text = row->text + strspn(row->text, " \t");
    unsigned head;

    if (find_word(text, "return") != text || row->last != ';' || row->parens) {
        if (sketch->left_count < MOST_RANGES)
            sketch->left_early[sketch->left_count++] = line;
        return;
    }
    if (darn_source_begins(source, line)) {
        darn_source_put_before(source, line, line, sketch->unlock);
        return;
    }
    for (head = line - 1; head > 1 && !darn_source_begins(source, head);)
        head--;
    row->gone = true;
    darn_source_put_before(source, line, head, "{");
    darn_source_put_before(source, line, line, sketch->unlock);
    darn_source_put_before(source, line, line, text);
    darn_source_put_before(source, line, head, "}");
}

static void patch_returns(struct sketch *sketch, struct darn_source *source, unsigned first,
                          unsigned last)
{
    for (unsigned i = first; i <= last; i++)
        if (source->rows[i].last && find_word(source->rows[i].text, "return"))
            patch_return(sketch, source, i);
}

/* The lock is given back between the two accesses: it no longer is. */
static bool merge(struct sketch *sketch, struct darn_source *source, const struct stretch *stretch)
{
    unsigned gives = 0, takes = 0;

    for (unsigned i = stretch->entry; i <= stretch->end; i++) {
        const char *text = source->rows[i].text;

        if (is_about_other(sketch, text) || source->rows[i].last != ';')
            continue;
        if (!gives && is_about_lock(sketch, text, true))
            gives = i;
        else if (gives && is_about_lock(sketch, text, false))
            takes = i;
    }
    if (!gives || !takes)
        return false;
    for (unsigned i = gives; i <= takes; i++)
        source->rows[i].gone |= !is_about_other(sketch, source->rows[i].text);
    patch_returns(sketch, source, gives + 1, takes - 1);
    return true;
}

static void wrap(struct sketch *sketch, struct darn_source *source, const struct stretch *stretch)
{
    darn_source_put_before(source, stretch->first, stretch->first, sketch->lock);
    patch_returns(sketch, source, stretch->first, stretch->last);
    darn_source_put_after(source, stretch->last, stretch->first, sketch->unlock);
}

static int compare(const void *one, const void *other)
{
    const struct stretch *a = one, *b = other;

    return (a->first > b->first) - (a->first < b->first);
}

/* Lines that meet are one stretch: the lock must not be taken twice. */
static size_t join(const struct darn_source *source, struct stretch *list, size_t count)
{
    size_t kept = 0;

    qsort(list, count, sizeof(*list), compare);
    for (size_t i = 0; i < count; i++) {
        struct stretch *last = kept ? &list[kept - 1] : NULL;

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

/* The line before the function of this line, and before what is said about it. */
static unsigned before_function(const struct darn_source *source, unsigned line)
{
    while (line > 1 && source->rows[line].start > 0)
        line--;
    while (line > 1 && source->rows[line - 1].text[strspn(source->rows[line - 1].text, " \t")] &&
           !source->rows[line - 1].directive && source->rows[line - 1].start == 0 &&
           !(source->rows[line - 1].last && strchr(";}", source->rows[line - 1].last)))
        line--;
    return line;
}

static bool is_same(const char *one, const char *other)
{
    return one && other && strcmp(one, other) == 0;
}

static void declare(const struct sketch *sketch, struct darn_source *source, const char *file,
                    unsigned line)
{
    const struct darn_finding *finding = sketch->fix->finding;
    const struct darn_symbol *symbol = finding ? &finding->location.symbol : NULL;

    if (symbol && is_same(symbol->file, file) && symbol->line && symbol->line <= source->count &&
        source->rows[symbol->line].last == ';' && source->rows[symbol->line].start == 0) {
        darn_source_put_after(source, symbol->line, symbol->line, sketch->declaration);
        return;
    }
    line = before_function(source, line);
    source->rows[line].before =
        darn_pool_format(&source->pool, "%s\n\n%s", sketch->declaration,
                         source->rows[line].before ? source->rows[line].before : "");
}

/* The ranges of the file of range `from`. */
static size_t take_stretches(const struct sketch *sketch, const struct darn_source *source,
                             size_t from, struct stretch *list)
{
    const struct darn_fix *fix = sketch->fix;
    size_t count = 0;

    for (size_t i = from; i < fix->count && count < MOST_RANGES; i++) {
        const struct darn_fix_range *range = &fix->ranges[i];
        struct stretch stretch = {range->first, range->last, range->first, range->last, false};

        if (strcmp(range->file, fix->ranges[from].file) != 0)
            continue;
        if (holds_already(sketch, range)) {
            if (!range->merges)
                continue;
            stretch.merges = true;
        }
        if (stretch.merges || darn_source_widen(source, &stretch.first, &stretch.last))
            list[count++] = stretch;
    }
    return join(source, list, count);
}

/* The part of the patch for the file of range `from`. */
static bool patch_file(struct sketch *sketch, FILE *out, size_t from, bool first)
{
    const struct darn_fix_range *range = &sketch->fix->ranges[from];
    struct stretch list[MOST_RANGES];
    struct darn_source source;
    bool done = false;
    size_t count;

    if (!darn_source_load(&source, range->dir, range->file)) {
        darn_source_free(&source);
        return false;
    }
    count = take_stretches(sketch, &source, from, list);
    for (size_t i = 0; i < count; i++) {
        if (list[i].merges) {
            done |= list[i].last <= source.count && merge(sketch, &source, &list[i]);
            continue;
        }
        wrap(sketch, &source, &list[i]);
        if (first && !done && sketch->declaration)
            declare(sketch, &source, range->file, list[i].first);
        done = true;
    }
    if (done) {
        if (first)
            fputs("a sketch of it, which nobody has compiled:\n", out);
        darn_source_diff(&source, out);
    }
    darn_source_free(&source);
    return done;
}

static bool is_first_of_file(const struct darn_fix *fix, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(fix->ranges[i].file, fix->ranges[index].file) == 0)
            return false;
    return true;
}

bool darn_fix_sketch(FILE *out, const struct darn_fix *fix)
{
    struct sketch sketch = {.fix = fix};
    bool done = false;

    for (size_t i = 0; i < fix->count; i++)
        if (!fix->ranges[i].file || !fix->ranges[i].first)
            return false;
    if (fix->count && choose_lock(&sketch)) {
        for (size_t i = 0; i < fix->count; i++)
            if (is_first_of_file(fix, i))
                done |= patch_file(&sketch, out, i, !done);
    }
    for (size_t i = 0; i < sketch.left_count; i++)
        fprintf(out, "line %u leaves in between: give the lock back before\n",
                sketch.left_early[i]);
    darn_pool_release(&sketch.pool);
    return done;
}
