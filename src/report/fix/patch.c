#include "report/fix/patch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "report/fix/patch_private.h"
#include "report/fix/unified_diff.h"

struct darn_patch *darn_patch_begin(const struct darn_patches *patches)
{
    struct darn_patch *patch = darn_need_zeroed(1, sizeof(*patch));

    patch->place = patches->place;
    patch->parts = 1;
    return patch;
}

void darn_patch_free(struct darn_patch *patch)
{
    if (!patch)
        return;
    for (size_t i = 0; i < patch->count; i++)
        darn_source_free(&patch->files[i]);
    darn_pool_release(&patch->pool);
    free(patch->diff);
    free(patch);
}

static bool is_same(const char *one, const char *other)
{
    return one == other || (one && other && strcmp(one, other) == 0);
}

/* The path without the directory; NULL when it is not below that. */
static const char *below(const char *path, const char *directory)
{
    size_t length = directory ? strlen(directory) : 0;

    return length && strncmp(path, directory, length) == 0 && path[length] == '/'
               ? path + length + 1
               : NULL;
}

static char *join_path(const char *directory, const char *name)
{
    char *path = NULL;

    if (asprintf(&path, "%s/%s", directory, name) < 0)
        darn_need_memory(NULL);
    return path;
}

char *darn_patch_find(const struct darn_patch_place *place, const char *dir, const char *file,
                      const char **name)
{
    char *joined = dir && file[0] != '/' ? join_path(dir, file) : NULL;
    char *path = realpath(joined ? joined : file, NULL), *copied;

    free(joined);
    *name = file;
    if (!path || !place->root)
        return path;
    *name = below(path, place->root);
    if (!*name)
        *name = below(path, place->copy);
    copied = *name ? join_path(place->copy ? place->copy : place->root, *name) : NULL;
    if (copied)
        *name = copied + strlen(copied) - strlen(*name);
    free(path);
    return copied;
}

struct darn_source *darn_patch_file(struct darn_patch *patch, const char *dir, const char *file)
{
    struct darn_source *source = NULL;
    const char *name;
    char *path;

    for (size_t i = 0; file && i < patch->count; i++)
        if (is_same(patch->files[i].file, file) && is_same(patch->files[i].dir, dir))
            return &patch->files[i];
    path = file ? darn_patch_find(&patch->place, dir, file, &name) : NULL;
    if (path && patch->count < DARN_PATCH_FILES) {
        source = &patch->files[patch->count];
        if (darn_source_load(source, path)) {
            source->file = darn_pool_text(&source->pool, file);
            source->dir = darn_pool_text(&source->pool, dir);
            source->name = darn_pool_text(&source->pool, name);
            patch->count++;
        } else {
            darn_source_free(source);
            source = NULL;
        }
    }
    free(path);
    return source;
}

static void print_diff(struct darn_patch *patch)
{
    size_t length = 0;
    FILE *out = darn_need_memory(open_memstream(&patch->diff, &length));

    for (size_t i = 0; i < patch->count; i++) {
        struct darn_source *source = &patch->files[i];

        if (!source->text)
            source->text = darn_source_render(source);
        patch->lines += darn_unified_diff(source->original, source->text, source->name, out);
    }
    if (fclose(out))
        darn_need_memory(NULL);
}

bool darn_patches_have(const struct darn_patches *patches, const struct darn_patch *patch)
{
    for (size_t i = 0; i < patches->count; i++)
        if (strcmp(patches->list[i]->diff, patch->diff) == 0)
            return true;
    return false;
}

void darn_patches_add(struct darn_patches *patches, struct darn_patch *patch, const char *what)
{
    print_diff(patch);
    patch->what = darn_pool_text(&patch->pool, what);
    if (!patch->lines || darn_patches_have(patches, patch)) {
        darn_patch_free(patch);
        return;
    }
    patches->list =
        darn_grow(patches->list, &patches->room, patches->count + 1, sizeof(*patches->list));
    patches->list[patches->count++] = patch;
}

/* ---- two in one ---- */

/* The file as the patch leaves it, from what it was before the one that came first. False when
 * there are too many files. */
static bool take_over(struct darn_patch *patch, const struct darn_source *from)
{
    struct darn_source *to = NULL;

    for (size_t i = 0; i < patch->count && !to; i++)
        if (strcmp(patch->files[i].name, from->name) == 0)
            to = &patch->files[i];
    if (!to) {
        if (patch->count == DARN_PATCH_FILES)
            return false;
        to = &patch->files[patch->count++];
        *to = (struct darn_source){.file = NULL};
        to->name = darn_pool_text(&to->pool, from->name);
        to->original = darn_pool_text(&to->pool, from->original);
    }
    to->text = darn_pool_text(&to->pool, from->text);
    return true;
}

void darn_patches_join(struct darn_patches *patches, const struct darn_patch *first,
                       const struct darn_patches *seconds)
{
    for (size_t i = 0; i < seconds->count; i++) {
        const struct darn_patch *second = seconds->list[i];
        struct darn_patch *both = darn_patch_begin(patches);
        bool fits = true;

        both->parts = first->parts + 1;
        for (size_t j = 0; j < first->count; j++)
            fits &= take_over(both, &first->files[j]);
        for (size_t j = 0; j < second->count; j++)
            fits &= take_over(both, &second->files[j]);
        if (fits)
            darn_patches_add(patches, both,
                             darn_pool_format(&both->pool, "%s; %s", first->what, second->what));
        else
            darn_patch_free(both);
    }
}

static int by_lines(const void *one, const void *other)
{
    const struct darn_patch *a = *(struct darn_patch *const *)one;
    const struct darn_patch *b = *(struct darn_patch *const *)other;

    if (a->lines != b->lines)
        return a->lines < b->lines ? -1 : 1;
    return strcmp(a->diff, b->diff);
}

void darn_patches_sort(struct darn_patches *patches)
{
    if (patches->count)
        qsort(patches->list, patches->count, sizeof(*patches->list), by_lines);
}

void darn_patches_make(struct darn_patches *patches, const struct darn_finding *finding,
                       const json_t *story)
{
    darn_patches_wait(patches, finding);
    darn_patches_predicate(patches, finding);
    darn_patches_order(patches, finding);
    darn_patches_once(patches, finding);
    darn_patches_gate(patches, finding);
    darn_patches_atomic(patches, finding);
    darn_patches_guard(patches, finding);
    darn_patches_copy(patches, finding);
    darn_patches_keep(patches, finding, story);
    if (!darn_finding_is(finding, "deadlock"))
        darn_patches_switch(patches, story);
    darn_patches_sort(patches);
}

void darn_patches_free(struct darn_patches *patches)
{
    for (size_t i = 0; i < patches->count; i++)
        darn_patch_free(patches->list[i]);
    free(patches->list);
    *patches = (struct darn_patches){.count = 0};
}
