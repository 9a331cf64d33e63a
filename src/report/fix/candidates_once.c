/*
 * What is set up by whoever comes first is set up once, and everybody waits for that: `if (!table)
 * table = make();` becomes a function for pthread_once. What uses names of its function does not
 * compile there; what is taken down again somewhere has to be set up again, and is left alone.
 */
#include <string.h>

#include "report/fix/patch_private.h"

/* `NULL`, `nullptr`, `0` or `false` as a whole. */
static bool is_nothing(const char *text)
{
    static const char *const words[] = {"NULL", "nullptr", "0", "false"};

    text += strspn(text, " \t");
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (darn_text_word(text, words[i]) == text)
            return true;
    return false;
}

/* `if (!x)`, `if (x == NULL)`; what it asks begins behind the parenthesis. NULL: it is not so. */
static const char *asks_for_nothing(const struct darn_source *source, unsigned line)
{
    const char *text = source->rows[line].text + darn_source_indent(source, line), *equals;

    if (source->rows[line].directive || darn_text_word(text, "if") != text)
        return NULL;
    text += strcspn(text, "(");
    equals = strstr(text, "==");
    return *text && (text[1 + strspn(text + 1, " \t")] == '!' || (equals && is_nothing(equals + 2)))
               ? text + 1
               : NULL;
}

/* Whether a function makes it nothing again. */
static bool is_reset(const struct darn_source *source, const char *name)
{
    for (unsigned line = 1; line <= source->count; line++) {
        const char *at = darn_text_word(source->rows[line].text, name);

        if (!at || !darn_source_function(source, line))
            continue;
        at += strlen(name);
        at += strspn(at, " \t");
        if (at[0] == '=' && at[1] != '=' && is_nothing(at + 1))
            return true;
    }
    return false;
}

/* `settings` of `atomic_load(&settings) == NULL`; empty: there is none. */
static const char *name_in(struct darn_text_pool *pool, const char *condition)
{
    while (*condition) {
        size_t length = 0;

        while (darn_text_is_of_name(condition[length]))
            length++;
        if (length && condition[length] != '(')
            return is_nothing(condition) ? "" : darn_pool_part(pool, condition, length);
        condition += length + !length;
    }
    return "";
}

static bool leaves(const struct darn_source *source, unsigned first, unsigned last)
{
    for (unsigned i = first; i <= last; i++)
        if (darn_text_word(source->rows[i].text, "return") ||
            darn_text_word(source->rows[i].text, "goto"))
            return true;
    return false;
}

/* The outermost statement of the function that is made where there is nothing yet, and has the
 * line. The name of what there is not; NULL: there is no such statement. */
static const char *find_set_up(struct darn_source *source, unsigned line, unsigned *first,
                               unsigned *last)
{
    unsigned function = darn_source_function(source, line);

    for (unsigned i = function + 1; function && i <= line; i++) {
        const char *condition = asks_for_nothing(source, i), *name;

        *first = *last = i;
        if (!condition || source->rows[i].start != source->rows[function].start + 1 ||
            !darn_source_widen(source, first, last) || *first != i || *last < line)
            continue;
        name = name_in(&source->pool, condition);
        return *name && !leaves(source, i, *last) && !is_reset(source, name) ? name : NULL;
    }
    return NULL;
}

static void set_up_once(struct darn_source *source, unsigned first, unsigned last, const char *name)
{
    struct darn_source_row *before = &source->rows[darn_source_before_function(source, first)];
    bool is_std = darn_text_is_cxx(source->file) && !darn_source_mentions(source, "pthread.h");
    const char *body = "";

    for (unsigned i = first; i <= last; i++) {
        body = darn_pool_format(&source->pool, "%s%s\n", body, source->rows[i].text);
        source->rows[i].gone = true;
    }
    darn_source_put_before(source, first, first,
                           darn_pool_format(&source->pool,
                                            is_std ? "std::call_once(%s_once, set_%s_up);"
                                                   : "pthread_once(&%s_once, set_%s_up);",
                                            name, name));
    before->before =
        darn_pool_format(&source->pool, "%s%s %s_once%s;\n\nstatic void set_%s_up(%s)\n{\n%s}\n\n",
                         before->before ? before->before : "",
                         is_std ? "static std::once_flag" : "static pthread_once_t", name,
                         is_std ? "" : " = PTHREAD_ONCE_INIT", name, is_std ? "" : "void", body);
    darn_source_include(source, is_std ? "<mutex>" : "<pthread.h>");
}

void darn_patches_once(struct darn_patches *patches, const struct darn_finding *finding)
{
    for (size_t i = 0; i < finding->access_count; i++) {
        const struct darn_finding_access *access = &finding->accesses[i];
        struct darn_patch *patch = darn_patch_begin(patches);
        struct darn_source *source = darn_patch_file(patch, access->dir, access->file);
        unsigned first, last;
        const char *name = source ? find_set_up(source, access->line, &first, &last) : NULL;

        if (name) {
            set_up_once(source, first, last, name);
            darn_patches_add(patches, patch,
                             darn_pool_format(&patch->pool, "set '%s' up once", name));
        } else {
            darn_patch_free(patch);
        }
    }
}
