#include "cli/report/report_files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/draft.h"
#include "base/grow.h"
#include "cli/say.h"
#include "driver/play/shown.h"
#include "report/cause.h"
#include "report/export/annotate_change.h"
#include "report/export/collection.h"
#include "report/export/sarif.h"
#include "report/report_format.h"
#include "report/suppress.h"

/* What was read. */
struct merge {
    const struct darn_report_files *wanted;
    const struct darn_style *style;
    struct darn_root root;
    struct darn_collection found;
    struct darn_suppressions *suppressions; /* or NULL */
    uint64_t suppressed;
    size_t missing; /* of the baseline: what was not seen */
};

static int read_all(struct darn_collection *collection, char *const *paths, int count)
{
    char error[1024];

    for (int i = 0; i < count; i++)
        if (darn_collection_read(collection, paths[i], error, sizeof(error)))
            return darn_refuse("report", "%s", error);
    return 0;
}

static bool is_reported(void *context, const struct darn_finding *finding)
{
    struct merge *merge = context;
    bool matches = darn_suppressions_match(merge->suppressions, finding);

    merge->suppressed += matches;
    return !matches;
}

static int suppress(struct merge *merge)
{
    char error[1024];

    if (!merge->wanted->suppressions)
        return 0;
    merge->suppressions =
        darn_suppressions_read(merge->wanted->suppressions, NULL, error, sizeof(error));
    if (!merge->suppressions)
        return darn_refuse("report", "suppressions: %s", error);
    darn_collection_keep(&merge->found, is_reported, merge);
    return 0;
}

static int compare(struct merge *merge)
{
    struct darn_collection baseline = {0};
    char error[1024];
    int status = 0;

    if (!merge->wanted->baseline)
        return 0;
    if (darn_collection_read(&baseline, merge->wanted->baseline, error, sizeof(error)))
        status = darn_refuse("report", "baseline: %s", error);
    else
        merge->missing = darn_collection_compare(&merge->found, &baseline);
    darn_collection_free(&baseline);
    return status;
}

static int open_merge(struct merge *merge, char *const *paths, int count)
{
    int status = read_all(&merge->found, paths, count);

    darn_root_find(&merge->root, merge->style->strip_path_prefix);
    if (!status)
        status = suppress(merge);
    if (!status)
        status = compare(merge);
    if (status)
        return status;
    darn_collection_sort(&merge->found);
    for (size_t i = 0; i < merge->found.count; i++) {
        struct darn_collected *item = &merge->found.items[i];

        item->finding->count = item->count;
        item->finding->files = item->files;
        item->finding->variant_of = NULL; /* of a run alone; now all are compared */
    }
    return 0;
}

static void close_merge(struct merge *merge)
{
    darn_collection_free(&merge->found);
    darn_suppressions_free(merge->suppressions);
}

/* A device or a pipe is written to; a file is replaced as a whole. 0 or a negative errno. */
static int write_sarif(const struct merge *merge)
{
    const char *path = merge->wanted->sarif;
    bool has_baseline = merge->wanted->baseline;
    struct darn_draft draft;
    int result;

    if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0) {
        darn_sarif_print(&merge->found, has_baseline, &merge->root, stdout);
        return 0;
    }
    result = darn_draft_open(&draft, path, false);
    if (result)
        return result;
    darn_sarif_print(&merge->found, has_baseline, &merge->root, draft.file);
    return darn_draft_finish(&draft, 0);
}

/* 0 or an exit status. */
static int keep_sarif(const struct merge *merge)
{
    int result = merge->wanted->sarif ? write_sarif(merge) : 0;

    return darn_refuse_output("report", "sarif: ", merge->wanted->sarif, result);
}

/* Those that are new, in their order, with who has the same cause. */
static void find_causes(const struct merge *merge, struct darn_causes *causes)
{
    for (size_t i = 0; i < merge->found.count; i++) {
        struct darn_finding *finding = merge->found.items[i].finding;
        size_t leader;

        if (merge->found.items[i].is_known)
            continue;
        leader = darn_causes_add(causes, finding);
        if (leader + 1 < causes->count)
            finding->variant_of = causes->findings[leader]->id;
    }
}

static void print_json(const struct darn_causes *causes)
{
    static const struct darn_style plain;

    for (size_t i = 0; i < causes->count; i++)
        darn_format_find("json")->finding(stdout, causes->findings[i], &plain);
}

static void print_text(const struct merge *merge, const struct darn_causes *causes)
{
    struct darn_summary summary = {.suppressed = merge->suppressed};
    bool all = merge->wanted->all;
    unsigned files = merge->found.files;
    const char *baseline = merge->wanted->baseline;

    summary.items = darn_pool_get(&summary.pool, causes->count + 1, sizeof(*summary.items));
    summary.scope = darn_pool_format(&summary.pool, "%u file%s%s%s%s", files, files == 1 ? "" : "s",
                                     baseline ? " that " : "", baseline ? baseline : "",
                                     baseline ? " does not have" : "");
    for (size_t i = 0; i < causes->count; i++) {
        const struct darn_finding *finding = causes->findings[i];

        if (finding->variant_of && !all) {
            summary.variants++;
            continue;
        }
        darn_format_find("text")->finding(stdout, finding, merge->style);
        printf("  seen: %" PRIu64 " time%s, in %u of %u file%s\n", finding->count,
               finding->count == 1 ? "" : "s", finding->files, files, files == 1 ? "" : "s");
        if (!all)
            darn_causes_print(causes, i, stdout, merge->style);
        putchar('\n');
        summary.items[summary.item_count++] = darn_summary_item(finding);
    }
    darn_format_find("text")->summary(stdout, &summary, merge->style);
    darn_pool_release(&summary.pool);
}

static void tell_unused(void *context, unsigned number, const char *line)
{
    const struct merge *merge = context;

    fprintf(stderr, "darn report: %s:%u: %s matches nothing here\n", merge->wanted->suppressions,
            number, line);
}

/* What was left out, and what is not needed any more. */
static void tell_rest(struct merge *merge, size_t fresh)
{
    size_t known = merge->found.count - fresh;

    if (merge->wanted->baseline)
        fprintf(stderr,
                "darn report: %zu new, %zu known by the baseline %s; of the baseline, %zu not "
                "seen\n",
                fresh, known, merge->wanted->baseline, merge->missing);
    if (merge->suppressions)
        darn_suppressions_unused(merge->suppressions, tell_unused, merge);
}

static bool has_news(const struct darn_collection *found)
{
    for (size_t i = 0; i < found->count; i++)
        if (!found->items[i].is_known)
            return true;
    return false;
}

static void print_merge(struct merge *merge)
{
    struct darn_causes causes = {.count = 0};
    bool is_sarif = merge->wanted->sarif && strcmp(merge->wanted->sarif, "-") == 0;

    find_causes(merge, &causes);
    if (merge->wanted->annotate)
        darn_annotate(merge->wanted->annotate, &merge->found, &merge->root, stdout);
    else if (merge->wanted->json)
        print_json(&causes);
    else if (!is_sarif)
        print_text(merge, &causes);
    fflush(stdout);
    tell_rest(merge, causes.count);
    darn_causes_free(&causes);
}

int darn_report_merge(const struct darn_report_files *wanted, const struct darn_style *style,
                      char *const *paths, int count)
{
    struct merge merge = {.wanted = wanted, .style = style};
    int status = open_merge(&merge, paths, count);

    if (!status)
        status = keep_sarif(&merge);
    if (!status) {
        print_merge(&merge);
        status = darn_finish_output();
    }
    if (!status && has_news(&merge.found))
        status = DARN_EXIT_FINDINGS;
    close_merge(&merge);
    return status;
}

int darn_report_sarif(const struct darn_report_files *wanted, const struct darn_style *style,
                      char *const *paths, int count)
{
    struct merge merge = {.wanted = wanted, .style = style};
    int status = open_merge(&merge, paths, count);

    if (!status)
        status = keep_sarif(&merge);
    close_merge(&merge);
    return status;
}

static bool is_shown(void *context, const char *id)
{
    const struct darn_collected *item =
        darn_collection_find(&((struct merge *)context)->found, id);

    return item && !item->is_known;
}

int darn_report_show(const struct darn_report_files *wanted, const struct darn_style *style,
                     struct darn_shown *shown, char *const *paths, int count)
{
    struct merge merge = {.wanted = wanted, .style = style};
    bool leaves_out = wanted->baseline || wanted->suppressions;
    int status = leaves_out ? open_merge(&merge, paths, count) : 0;

    shown->strip_path_prefix = style->strip_path_prefix;
    shown->context = &merge;
    shown->keeps = leaves_out ? is_shown : NULL;
    if (!status)
        status = darn_show(shown, darn_speaker("report"), paths, (size_t)count);
    close_merge(&merge);
    return status ? status : shown->findings ? DARN_EXIT_FINDINGS : 0;
}
