/*
 * The variable becomes atomic, and what changes it one operation.
 */
#include <string.h>

#include "report/fix/patch_private.h"

static bool is_declaration(const struct darn_source *source, unsigned line, const char *name)
{
    const struct darn_source_row *row = &source->rows[line];
    const char *at = row->last == ';' && !row->directive ? darn_text_word(row->text, name) : NULL;
    const char *text = row->text + darn_source_indent(source, line);

    if (!at || at == text || strchr("->.=!(,", at[-1]) || darn_text_word(text, "return") == text ||
        darn_text_word(text, "extern") == text || darn_text_word(text, "typedef") == text)
        return false;
    /* Two words at least before it, and no operator: a type. */
    for (const char *c = text; c < at; c++)
        if (!darn_text_is_of_name(*c) && !strchr(" \t*:<>", *c))
            return false;
    return darn_source_function(source, line) == 0 && darn_text_is_of_name(*text);
}

/* In front of the type: storage classes come first. */
static const char *behind_storage(const char *text)
{
    static const char *const words[] = {"static", "volatile", "mutable", "inline"};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (darn_text_word(text, words[i]) == text) {
            text += strlen(words[i]);
            return behind_storage(text + strspn(text, " \t"));
        }
    return text;
}

static void declare_atomic(struct darn_source *source, unsigned line, const char *name)
{
    const char *text = source->rows[line].text;
    const char *type = behind_storage(text + darn_source_indent(source, line));
    const char *at = darn_text_word(type, name), *end = at;

    if (!darn_text_is_cxx(source->file)) {
        darn_source_replace(
            source, line,
            darn_pool_format(&source->pool, "%.*s_Atomic %s", (int)(type - text), text, type));
        return;
    }
    while (end > type && strchr(" \t", end[-1]))
        end--;
    darn_source_replace(source, line,
                        darn_pool_format(&source->pool, "%.*sstd::atomic<%.*s> %s",
                                         (int)(type - text), text, (int)(end - type), type, at));
    darn_source_include(source, "<atomic>");
}

/* `n = n + 1;` reads and writes; `n += 1;` does both at once. */
static void join_update(struct darn_source *source, unsigned line, const char *name)
{
    const char *text = source->rows[line].text, *left = text + darn_source_indent(source, line);
    const char *equals = strchr(left, '='), *right;
    size_t length;

    if (!equals || equals == left || equals[1] == '=' || !darn_text_word(left, name))
        return;
    length = (size_t)(equals - left);
    while (length && strchr(" \t", left[length - 1]))
        length--;
    right = equals + 1 + strspn(equals + 1, " \t");
    if (!length || strchr("+-*/|&^%<>!", left[length - 1]) || strncmp(right, left, length) != 0 ||
        darn_text_is_of_name(right[length]))
        return;
    right += length;
    right += strspn(right, " \t");
    if (!*right || !strchr("+-|&^", *right))
        return;
    darn_source_replace(source, line,
                        darn_pool_format(&source->pool, "%.*s %c= %s",
                                         (int)((size_t)(left - text) + length), text, *right,
                                         right + 1 + strspn(right + 1, " \t")));
}

void darn_patches_atomic(struct darn_patches *patches, const struct darn_finding *finding)
{
    struct darn_patch *patch;
    const char *name;
    bool done = false;

    if (!finding->variable || (!darn_finding_is(finding, "data-race") &&
                               !darn_finding_is(finding, "atomicity-violation")))
        return;
    patch = darn_patch_begin(patches);
    name = darn_text_last_name(&patch->pool, finding->variable);
    for (size_t i = 0; i < finding->access_count; i++)
        darn_patch_file(patch, finding->accesses[i].dir, finding->accesses[i].file);
    for (size_t i = 0; i < patch->count; i++) {
        struct darn_source *source = &patch->files[i];

        for (unsigned line = 1; *name && line <= source->count; line++) {
            if (!done && is_declaration(source, line, name)) {
                declare_atomic(source, line, name);
                done = true;
            } else if (darn_source_function(source, line)) {
                join_update(source, line, name);
            }
        }
    }
    if (done)
        darn_patches_add(patches, patch, darn_pool_format(&patch->pool, "make '%s' atomic", name));
    else
        darn_patch_free(patch);
}
