#include "report/export/collection.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fingerprint.h"
#include "base/grow.h"
#include "base/hash.h"
#include "base/map.h"
#include "report/raw.h"

void darn_collection_free(struct darn_collection *collection)
{
    for (size_t i = 0; i < collection->count; i++)
        darn_finding_free(collection->items[i].finding);
    free(collection->items);
    darn_htable_free(&collection->ids);
    *collection = (struct darn_collection){0};
}

static uint32_t hash_of(const char *id)
{
    return (uint32_t)darn_hash_string(DARN_HASH_START, id);
}

struct darn_collected *darn_collection_find(const struct darn_collection *collection,
                                            const char *id)
{
    uint32_t hash = hash_of(id), item;
    size_t at = hash;

    while ((item = darn_htable_next(&collection->ids, hash, &at)))
        if (strcmp(collection->items[item - 1].finding->id, id) == 0)
            return &collection->items[item - 1];
    return NULL;
}

static int certainty_of(const struct darn_finding *finding)
{
    return darn_finding_is_confirmed(finding) ? 2 : darn_finding_is_predicted(finding) ? 0 : 1;
}

/* Takes the finding over. */
static void add_finding(struct darn_collection *collection, struct darn_finding *finding)
{
    struct darn_collected *item = darn_collection_find(collection, finding->id);
    uint64_t count = finding->count ? finding->count : 1;

    if (!item) {
        collection->items = darn_grow(collection->items, &collection->room, collection->count + 1,
                                      sizeof(*collection->items));
        item = &collection->items[collection->count++];
        *item = (struct darn_collected){.finding = finding};
        darn_htable_add(&collection->ids, hash_of(finding->id), (uint32_t)collection->count);
    } else if (certainty_of(finding) > certainty_of(item->finding)) {
        struct darn_finding *weaker = item->finding;

        item->finding = finding;
        finding = weaker;
    }
    item->count += count;
    item->files += item->last != collection->files;
    item->last = collection->files;
    if (finding != item->finding)
        darn_finding_free(finding);
}

/* What a hunt has predicted and could not confirm is none. */
static bool is_finding(const struct darn_finding *finding, bool is_hunt)
{
    return finding->id && *finding->kind && finding->access_count && !finding->is_suspicion &&
           !(is_hunt && darn_finding_is_predicted(finding));
}

int darn_collection_read(struct darn_collection *collection, const char *path, char *error,
                         size_t error_size)
{
    struct stat about;
    bool is_directory = stat(path, &about) == 0 && S_ISDIR(about.st_mode), is_hunt;
    char inside[PATH_MAX + 16];
    FILE *file;
    json_t *objects, *object;
    size_t i;

    snprintf(inside, sizeof(inside), "%s/finding.json", path);
    is_hunt = is_directory && access(inside, F_OK);
    if (is_hunt)
        snprintf(inside, sizeof(inside), "%s/index.jsonl", path);
    file = fopen(is_directory ? inside : path, "re");
    if (!file) {
        snprintf(error, error_size, "%s: %s", path, strerror(errno));
        return -1;
    }
    objects = darn_raw_lines(file, path, error, error_size);
    fclose(file);
    if (!objects)
        return -1;
    collection->files++;
    json_array_foreach(objects, i, object)
    {
        struct darn_finding *finding = darn_finding_reported(object);

        if (is_finding(finding, is_hunt))
            add_finding(collection, finding);
        else
            darn_finding_free(finding);
    }
    json_decref(objects);
    return 0;
}

static int compare_items(const void *one, const void *other)
{
    const struct darn_collected *a = one, *b = other;

    if (a->files != b->files)
        return a->files > b->files ? -1 : 1;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return strcmp(a->finding->id, b->finding->id);
}

/* Their numbers have changed. */
static void number_again(struct darn_collection *collection)
{
    darn_htable_clear(&collection->ids);
    for (size_t i = 0; i < collection->count; i++)
        darn_htable_add(&collection->ids, hash_of(collection->items[i].finding->id),
                        (uint32_t)i + 1);
}

void darn_collection_sort(struct darn_collection *collection)
{
    if (collection->count)
        qsort(collection->items, collection->count, sizeof(*collection->items), compare_items);
    number_again(collection);
}

void darn_collection_keep(struct darn_collection *collection,
                          bool (*is_kept)(void *context, const struct darn_finding *finding),
                          void *context)
{
    size_t kept = 0;

    for (size_t i = 0; i < collection->count; i++) {
        struct darn_collected *item = &collection->items[i];

        if (is_kept(context, item->finding))
            collection->items[kept++] = *item;
        else
            darn_finding_free(item->finding);
    }
    collection->count = kept;
    number_again(collection);
}

uint64_t darn_collection_shape(const struct darn_finding *finding)
{
    size_t count = finding->access_count;
    uint64_t *places = darn_need_zeroed(count, sizeof(*places)), shape;

    for (size_t i = 0; i < count; i++) {
        const struct darn_finding_access *access = &finding->accesses[i];

        places[i] = darn_fingerprint_site(finding->kind, access->file, access->function, 0, 0);
        places[i] = darn_hash_string(places[i], darn_op_name(access->op));
    }
    shape =
        darn_fingerprint_places(finding->kind, places, count, finding->reason, finding->variable);
    free(places);
    return shape;
}

bool darn_collection_has(const struct darn_collection *collection,
                         const struct darn_finding *finding)
{
    uint64_t shape = darn_collection_shape(finding);

    if (finding->id && darn_collection_find(collection, finding->id))
        return true;
    for (size_t i = 0; i < collection->count; i++)
        if (darn_collection_shape(collection->items[i].finding) == shape)
            return true;
    return false;
}

size_t darn_collection_compare(struct darn_collection *collection,
                               const struct darn_collection *baseline)
{
    struct darn_map shapes = {0}; /* of those of the baseline that are not there: how many */
    size_t missing = 0;
    bool added;

    for (size_t i = 0; i < baseline->count; i++) {
        const struct darn_finding *finding = baseline->items[i].finding;
        struct darn_collected *same = darn_collection_find(collection, finding->id);

        if (same) {
            same->is_known = true;
            continue;
        }
        ++*darn_map_at(&shapes, darn_collection_shape(finding), &added);
        missing++;
    }
    for (size_t i = 0; i < collection->count; i++) {
        struct darn_collected *item = &collection->items[i];
        uintptr_t *left;

        if (item->is_known)
            continue;
        left = darn_map_at(&shapes, darn_collection_shape(item->finding), &added);
        item->is_known = *left > 0;
        *left -= item->is_known;
        missing -= item->is_known;
    }
    darn_map_free(&shapes);
    return missing;
}
