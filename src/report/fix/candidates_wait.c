/*
 * A wait that looks only once at what it waits for: `if` becomes `while`; a signal that may wake
 * the wrong thread wakes all.
 */
#include <string.h>

#include "report/fix/patch_private.h"

/* The line of the `if` that the line belongs to; 0: none. */
static unsigned enclosing_if(const struct darn_source *source, unsigned line)
{
    unsigned function = darn_source_function(source, line);

    for (unsigned i = line; function && i > function; i--) {
        const char *text = source->rows[i].text + darn_source_indent(source, i);

        if (source->rows[i].start > source->rows[line].start)
            continue;
        if (darn_text_word(text, "if") == text)
            return i;
        if (i != line && source->rows[i].start < source->rows[line].start)
            return 0;
        if (i != line && strchr(";}", source->rows[i].last) && source->rows[i].last &&
            source->rows[i].start == source->rows[line].start)
            return 0;
    }
    return 0;
}

static bool is_wait(const char *text)
{
    return strstr(text, "cond_wait(") || strstr(text, "cnd_wait(") || strstr(text, ".wait(");
}

static void look_again(struct darn_source *source, unsigned line)
{
    unsigned condition = enclosing_if(source, line);
    const char *text;
    size_t indent;

    if (!condition || source->rows[condition].gone)
        return;
    text = source->rows[condition].text;
    indent = darn_source_indent(source, condition);
    darn_source_replace(source, condition,
                        darn_pool_format(&source->pool, "%.*swhile%s", (int)indent, text,
                                         text + indent + strlen("if")));
}

/* Who is woken may not be who can go on. */
static void wake_all(struct darn_source *source, unsigned line)
{
    static const struct {
        const char *one, *all;
    } words[] = {{"cond_signal(", "cond_broadcast("},
                 {"cnd_signal(", "cnd_broadcast("},
                 {"notify_one(", "notify_all("}};
    const char *text = source->rows[line].text;

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        const char *at = strstr(text, words[i].one);

        if (at)
            darn_source_replace(source, line,
                                darn_pool_format(&source->pool, "%.*s%s%s", (int)(at - text), text,
                                                 words[i].all, at + strlen(words[i].one)));
    }
}

/* In all files of the finding. */
static void try_files(struct darn_patches *patches, const struct darn_finding *finding, bool again,
                      bool all)
{
    struct darn_patch *patch = darn_patch_begin(patches);

    for (size_t i = 0; i < finding->access_count; i++)
        for (size_t j = 0; j < finding->accesses[i].stack.count; j++)
            darn_patch_file(patch, finding->accesses[i].stack.frames[j].dir,
                            finding->accesses[i].stack.frames[j].file);
    for (size_t i = 0; i < patch->count; i++)
        for (unsigned line = 1; line <= patch->files[i].count; line++) {
            if (again && is_wait(patch->files[i].rows[line].text))
                look_again(&patch->files[i], line);
            if (all)
                wake_all(&patch->files[i], line);
        }
    darn_patches_add(patches, patch,
                     again && all ? "look again after each wait, and wake all"
                     : again      ? "look again after each wait: 'while' instead of 'if'"
                                  : "wake all who wait, not one");
}

void darn_patches_wait(struct darn_patches *patches, const struct darn_finding *finding)
{
    try_files(patches, finding, true, false);
    try_files(patches, finding, false, true);
    try_files(patches, finding, true, true);
}
