#include "report/summary.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/grow.h"
#include "report/raw.h"
#include "report/symbol/demangle.h"
#include "report/symbol/frames.h"
#include "report/symbol/symbolize.h"

#define MOST_ITEMS 10000

/* What has no site, like a deadlock, is named by the first frame that is the program's own. */
static void name_by_stack(struct darn_text_pool *pool, struct darn_modules *modules,
                          struct darn_summary_item *item, const struct darn_finding_stack *stack)
{
    struct darn_frame found[DARN_SYMBOLIZE_DEPTH];

    for (size_t i = 0; i < stack->count; i++) {
        const struct darn_frame *raw = &stack->frames[i];

        if (darn_frame_is_libc(raw))
            continue;
        darn_symbolize_code(modules, pool, raw->module, raw->offset - (raw->offset ? 1 : 0), found);
        if (!found[0].file || darn_frame_is_runtime(&found[0]))
            continue;
        item->file = found[0].file;
        item->line = found[0].line;
        item->function = found[0].function;
        if (!darn_frame_is_library(&found[0]))
            return;
    }
}

static void read_item(struct darn_text_pool *pool, struct darn_modules *modules,
                      struct darn_summary_item *item, const json_t *object)
{
    struct darn_finding_stack stack = darn_raw_stack(pool, object);

    item->id = darn_raw_text(pool, object, "id");
    item->kind = darn_raw_text(pool, object, "kind");
    item->file = darn_raw_text(pool, object, "file");
    item->function = darn_demangle(pool, darn_raw_text(pool, object, "function"));
    item->variable = darn_raw_text(pool, object, "variable");
    item->line = (unsigned)darn_raw_number(object, "line");
    item->count = darn_raw_number(object, "count");
    item->certainty = darn_raw_text(pool, object, "certainty");
    item->is_variant = json_object_get(object, "variant_of");
    if (!item->file)
        name_by_stack(pool, modules, item, &stack);
}

static void read_items(struct darn_summary *summary, const json_t *list)
{
    struct darn_modules modules = {NULL};
    size_t count = json_array_size(list);

    if (count > MOST_ITEMS)
        count = MOST_ITEMS;
    summary->items = darn_pool_get(&summary->pool, count, sizeof(*summary->items));
    for (size_t i = 0; i < count; i++) {
        struct darn_summary_item *item = &summary->items[summary->item_count];

        read_item(&summary->pool, &modules, item, json_array_get(list, i));
        if (item->id && item->kind)
            summary->item_count++;
    }
    darn_modules_close(&modules);
}

struct darn_summary *darn_summary_read(const char *json, size_t length, char *error,
                                       size_t error_size)
{
    json_t *root = darn_raw_load(json, length, error, error_size);
    struct darn_summary *summary;

    if (!root)
        return NULL;
    if (!json_is_array(json_object_get(root, "findings"))) {
        snprintf(error, error_size, "the summary has no findings");
        json_decref(root);
        return NULL;
    }
    summary = darn_need_zeroed(1, sizeof(*summary));
    summary->pid = (int64_t)darn_raw_number(root, "pid");
    summary->suppressed = darn_raw_number(root, "suppressed");
    read_items(summary, json_object_get(root, "findings"));
    json_decref(root);
    return summary;
}

void darn_summary_fold(struct darn_summary *summary)
{
    size_t kept = 0;

    for (size_t i = 0; i < summary->item_count; i++) {
        if (summary->items[i].is_variant)
            summary->variants++;
        else
            summary->items[kept++] = summary->items[i];
    }
    summary->item_count = kept;
}

struct darn_summary_item darn_summary_item(const struct darn_finding *finding)
{
    static const struct darn_finding_access nowhere;
    const struct darn_finding_access *first =
        finding->access_count ? &finding->accesses[0] : &nowhere;

    return (struct darn_summary_item){
        .id = finding->id,
        .kind = finding->kind,
        .certainty = finding->certainty,
        .file = first->file,
        .function = first->function,
        .variable = finding->variable,
        .line = first->line,
        .count = finding->count,
    };
}

void darn_summary_free(struct darn_summary *summary)
{
    if (!summary)
        return;
    darn_pool_release(&summary->pool);
    free(summary);
}
