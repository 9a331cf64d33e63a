#include "report/fix/patch.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "report/fix/patch_private.h"

struct darn_patch *darn_patch_begin(void)
{
    return darn_need_zeroed(1, sizeof(struct darn_patch));
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

struct darn_source *darn_patch_file(struct darn_patch *patch, const char *dir, const char *file)
{
    struct darn_source *source;

    if (!file)
        return NULL;
    for (size_t i = 0; i < patch->count; i++)
        if (is_same(patch->files[i].file, file) && is_same(patch->files[i].dir, dir))
            return &patch->files[i];
    if (patch->count == DARN_PATCH_FILES)
        return NULL;
    source = &patch->files[patch->count];
    if (!darn_source_load(source, dir, file)) {
        darn_source_free(source);
        return NULL;
    }
    patch->count++;
    return source;
}

/* What people call the file, from the root. */
static void print_file(const struct darn_source *source, const char *root, FILE *out)
{
    char *path = root ? darn_source_path(source) : NULL;
    size_t length = root ? strlen(root) : 0;
    bool is_below = path && strncmp(path, root, length) == 0 && path[length] == '/';

    darn_source_diff(source, is_below ? path + length + 1 : source->file, out);
    free(path);
}

static void print_diff(struct darn_patch *patch, const char *root)
{
    size_t length = 0;
    FILE *out = darn_need_memory(open_memstream(&patch->diff, &length));

    for (size_t i = 0; i < patch->count; i++)
        print_file(&patch->files[i], root, out);
    if (fclose(out))
        darn_need_memory(NULL);
    for (const char *line = patch->diff; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        patch->lines += (*line == '+' && strncmp(line, "+++", 3) != 0) ||
                        (*line == '-' && strncmp(line, "---", 3) != 0);
    }
}

void darn_patches_add(struct darn_patches *patches, struct darn_patch *patch, const char *what)
{
    print_diff(patch, patches->root);
    patch->what = darn_pool_text(&patch->pool, what);
    for (size_t i = 0; i < patches->count; i++)
        if (strcmp(patches->list[i]->diff, patch->diff) == 0)
            patch->lines = 0;
    if (!patch->lines) {
        darn_patch_free(patch);
        return;
    }
    patches->list =
        darn_grow(patches->list, &patches->room, patches->count + 1, sizeof(*patches->list));
    patches->list[patches->count++] = patch;
}

static int by_lines(const void *one, const void *other)
{
    const struct darn_patch *a = *(struct darn_patch *const *)one;
    const struct darn_patch *b = *(struct darn_patch *const *)other;

    if (a->lines != b->lines)
        return a->lines < b->lines ? -1 : 1;
    return strcmp(a->diff, b->diff);
}

void darn_patches_make(struct darn_patches *patches, const struct darn_finding *finding,
                       const json_t *story)
{
    darn_patches_wait(patches, finding);
    darn_patches_order(patches, finding);
    darn_patches_gate(patches, finding);
    darn_patches_atomic(patches, finding);
    darn_patches_guard(patches, finding);
    if (!darn_finding_is(finding, "deadlock"))
        darn_patches_switch(patches, story);
    if (patches->count)
        qsort(patches->list, patches->count, sizeof(*patches->list), by_lines);
}

void darn_patches_free(struct darn_patches *patches)
{
    for (size_t i = 0; i < patches->count; i++)
        darn_patch_free(patches->list[i]);
    free(patches->list);
    *patches = (struct darn_patches){.count = 0};
}
