/*
 * A lock that is given back and taken again at once lets others in between two parts that may
 * belong together: it stays held. Of a failure only the schedule tells in which functions to look.
 */
#include <string.h>

#include "report/fix/patch_private.h"

static const char *text_of(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

/* `&m` of `    pthread_mutex_lock(&m);` with the part of the name that says what it does; NULL: it
 * is no such statement. */
static const char *argument_of(struct darn_text_pool *pool, const struct darn_source *source,
                               unsigned line, bool gives)
{
    const struct darn_source_row *row = &source->rows[line];
    const char *text = row->text + darn_source_indent(source, line);
    const char *open = strchr(text, '('), *end = open ? strrchr(open, ')') : NULL;
    const char *name;

    if (!end || row->last != ';' || row->parens || row->start != row->end || row->directive)
        return NULL;
    name = darn_pool_part(pool, text, (size_t)(open - text));
    if (strpbrk(name, " =") || (gives ? !strstr(name, "unlock") : !strstr(name, "lock")) ||
        (!gives && strstr(name, "unlock")))
        return NULL;
    return darn_pool_part(pool, open + 1, (size_t)(end - open) - 1);
}

/* The next line with code. */
static unsigned next_code(const struct darn_source *source, unsigned line)
{
    do
        line++;
    while (line <= source->count && !source->rows[line].last);
    return line;
}

static void keep(struct darn_patches *patches, const struct darn_source *model, unsigned gives,
                 unsigned takes, const char *lock)
{
    struct darn_patch *patch = darn_patch_begin(patches);
    struct darn_source *source = darn_patch_file(patch, model->dir, model->file);

    if (!source) {
        darn_patch_free(patch);
        return;
    }
    source->rows[gives].gone = source->rows[takes].gone = true;
    darn_patches_add(patches, patch,
                     darn_pool_format(&patch->pool, "keep '%s' from line %u to line %u",
                                      darn_text_last_name(&patch->pool, lock), gives, takes));
}

static void try_file(struct darn_patches *patches, struct darn_text_pool *pool,
                     const struct darn_source *source)
{
    for (unsigned i = 1; i < source->count; i++) {
        unsigned next = next_code(source, i);
        const char *gives = argument_of(pool, source, i, true);
        const char *takes =
            gives && next <= source->count ? argument_of(pool, source, next, false) : NULL;

        if (takes && strcmp(gives, takes) == 0 &&
            source->rows[i].start == source->rows[next].start &&
            source->rows[i].conditions == source->rows[next].conditions &&
            darn_source_begins(source, i) && darn_source_begins(source, next))
            keep(patches, source, i, next, gives);
    }
}

void darn_patches_keep(struct darn_patches *patches, const struct darn_finding *finding,
                       const json_t *story)
{
    struct darn_patch *files = darn_patch_begin(patches);
    const json_t *places = json_object_get(story, "places");

    if (darn_finding_is(finding, "deadlock")) {
        darn_patch_free(files);
        return;
    }
    for (size_t i = 0; i < json_array_size(places); i++)
        darn_patch_file(files, text_of(json_array_get(places, i), "dir"),
                        text_of(json_array_get(places, i), "file"));
    for (size_t i = 0; i < files->count; i++)
        try_file(patches, &files->pool, &files->files[i]);
    darn_patch_free(files);
}
