#include "report/export/annotate_change.h"

#include <string.h>

#include "base/json_file.h"

/* The file and line of a finding. A service wants both: without a place it is the program. */
static const char *path_of(const struct darn_finding *finding, const struct darn_root *root,
                           unsigned *line, unsigned *column, struct darn_text_pool *pool)
{
    struct darn_frame place = darn_export_place(&finding->accesses[0]);
    const char *file = place.file ? place.file : finding->program ? finding->program : "unknown";

    *line = place.file && place.line ? place.line : 1;
    *column = place.file ? place.column : 0;
    return darn_export_path(root, place.dir, file, pool);
}

/* What is said of it, a line for each access. */
static const char *message_of(const struct darn_finding *finding, const struct darn_root *root,
                              const char *separator, struct darn_text_pool *pool)
{
    const char *advice = darn_export_advice(finding, pool), *text = "";

    for (size_t i = 0; i < finding->access_count; i++) {
        struct darn_frame place = darn_export_place(&finding->accesses[i]);

        text = darn_pool_format(pool, "%s%s", text, i ? separator : "");
        if (i && place.file)
            text =
                darn_pool_format(pool, "%s%s:%u: ", text,
                                 darn_export_path(root, place.dir, place.file, pool), place.line);
        text = darn_pool_format(pool, "%s%s", text, darn_export_step(finding, i, pool));
    }
    return *advice ? darn_pool_format(pool, "%s%s%s", text, separator, advice) : text;
}

/* GitHub: in a message %, CR and LF are escaped; in the value of a property also : and the comma.
 */
static void print_escaped(const char *text, bool is_property, FILE *out)
{
    for (; *text; text++) {
        if (*text == '%' || *text == '\r' || *text == '\n' ||
            (is_property && (*text == ':' || *text == ',')))
            fprintf(out, "%%%02X", (unsigned char)*text);
        else
            fputc(*text, out);
    }
}

/* How many others have its cause. */
static size_t count_variants(const struct darn_collection *collection,
                             const struct darn_finding *finding)
{
    size_t count = 0;

    for (size_t i = 0; i < collection->count; i++) {
        const char *leader = collection->items[i].finding->variant_of;

        count += leader && strcmp(leader, finding->id) == 0;
    }
    return count;
}

static void print_github(const struct darn_finding *finding, size_t variants,
                         const struct darn_root *root, FILE *out)
{
    struct darn_text_pool pool = {0};
    unsigned line, column;
    const char *path = path_of(finding, root, &line, &column, &pool);

    fprintf(out, "::%s file=", darn_finding_is_predicted(finding) ? "warning" : "error");
    print_escaped(path, true, out);
    fprintf(out, ",line=%u", line);
    if (column)
        fprintf(out, ",col=%u", column);
    fputs(",title=", out);
    print_escaped(darn_export_title(finding, &pool), true, out);
    fputs("::", out);
    print_escaped(message_of(finding, root, "\n", &pool), false, out);
    if (variants)
        fprintf(out, "%%0A%zu variant%s with the same cause", variants, variants == 1 ? "" : "s");
    fputc('\n', out);
    darn_pool_release(&pool);
}

static void put_gitlab(struct darn_json *json, const struct darn_finding *finding,
                       const struct darn_root *root)
{
    struct darn_text_pool pool = {0};
    unsigned line, column;
    const char *path = path_of(finding, root, &line, &column, &pool);

    darn_json_break(json, 0);
    darn_json_open(json, NULL, '{');
    darn_json_string(json, "description",
                     darn_pool_format(&pool, "%s: %s", darn_export_title(finding, &pool),
                                      message_of(finding, root, "; ", &pool)));
    darn_json_string(json, "check_name", finding->kind);
    darn_json_string(json, "fingerprint", finding->id);
    darn_json_string(json, "severity", darn_finding_is_predicted(finding) ? "major" : "critical");
    darn_json_open(json, "location", '{');
    darn_json_string(json, "path", path);
    darn_json_open(json, "lines", '{');
    darn_json_number(json, "begin", line);
    darn_json_close(json, '}');
    darn_json_close(json, '}');
    darn_json_close(json, '}');
    darn_pool_release(&pool);
}

/* GitHub shows few annotations of a step, so variants have none of their own. GitLab compares
 * fingerprints from one day to the next, so each finding has one. */
void darn_annotate(const char *form, const struct darn_collection *collection,
                   const struct darn_root *root, FILE *out)
{
    bool github = strcmp(form, "github") == 0;
    struct darn_json json;

    darn_json_start_growing(&json);
    if (!github)
        darn_json_open(&json, NULL, '[');
    for (size_t i = 0; i < collection->count; i++) {
        const struct darn_collected *item = &collection->items[i];

        if (item->is_known || (github && item->finding->variant_of))
            continue;
        if (github)
            print_github(item->finding, count_variants(collection, item->finding), root, out);
        else
            put_gitlab(&json, item->finding, root);
    }
    if (!github) {
        darn_json_break(&json, 0);
        darn_json_close(&json, ']');
        darn_json_end_line(&json);
    }
    darn_json_finish(&json, out);
}
