/*
 * The index of a hunt, for people.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/options.h"
#include "cli/say.h"
#include "report/text/color.h"
#include "driver/play/index.h"
#include "report/cause.h"
#include "report/report_format.h"
#include "report/raw.h"
#include "report/report_kinds.h"
#include "report/summary.h"
#include "report/unread.h"

void darn_print_file(const char *path, FILE *out)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t room = 0;

    if (!file) {
        int error = errno;

        fprintf(out, "%s: %s\n", path, strerror(error));
        darn_unread(path, error);
        return;
    }
    while (getline(&line, &room, file) >= 0)
        fputs(line, out);
    free(line);
    fclose(file);
}

/* What was written when the finding was proved, and the schedule's story. */
void darn_index_print_proof(const struct darn_index *index, const json_t *entry, FILE *out)
{
    const char *directory = darn_index_directory(entry);
    char path[PATH_MAX + 64];

    snprintf(path, sizeof(path), "%s/%s/report.txt", index->directory, directory);
    darn_print_file(path, out);
    fputc('\n', out);
    snprintf(path, sizeof(path), "%s/%s/story.txt", index->directory, directory);
    darn_print_file(path, out);
    fputc('\n', out);
}

static void print_place(const struct darn_finding_access *access, FILE *out,
                        const struct darn_style *style)
{
    if (!access->file) {
        fputs(access->function ? access->function : "an unknown place", out);
        return;
    }
    fputs(darn_style_path(style, access->file), out);
    if (access->line)
        fprintf(out, ":%u", access->line);
}

/* So many that were not confirmed are shown; of a large program there may be hundreds. */
#define PREDICTIONS 20

/* "bank.c:29: possible data race on 'balance' with bank.c:31: predicted, not confirmed in 20
 * trials"; or "data race" and "observed", if darn run has seen it. */
static void print_prediction(const struct darn_finding *finding, const json_t *entry, FILE *out,
                             const struct darn_style *style)
{
    static const struct darn_finding_access nowhere;
    bool was_seen = darn_finding_is_observed(finding);

    print_place(finding->access_count ? &finding->accesses[0] : &nowhere, out, style);
    fprintf(out, ": %s%s", was_seen ? "" : "possible ", darn_kind_words(finding->kind, 1));
    if (finding->variable)
        fprintf(out, " on '%s'", finding->variable);
    for (size_t i = 1; i < finding->access_count; i++) {
        fputs(i == 1 ? " with " : ", ", out);
        print_place(&finding->accesses[i], out, style);
    }
    fputs(was_seen ? ": observed" : ": predicted", out);
    if (finding->hits && json_is_false(json_object_get(entry, "replayed")))
        fprintf(out,
                "; it happened in %" PRIu32 " of %" PRIu32
                " trials, but the time was over before that was replayed\n",
                finding->hits, finding->trials);
    else if (finding->hits)
        fprintf(out, ", but what happened in %" PRIu32 " of %" PRIu32 " trials does not replay\n",
                finding->hits, finding->trials);
    else if (finding->trials)
        fprintf(out, ", not confirmed in %" PRIu32 " trial%s\n", finding->trials,
                finding->trials == 1 ? "" : "s");
    else
        fputs(", not tried\n", out);
}

/* Of what was proved. */
static void print_summary(const struct darn_index *index, struct darn_finding **findings, bool all,
                          FILE *out, const struct darn_style *style)
{
    struct darn_summary summary = {0};
    json_int_t runs = json_integer_value(json_object_get(index->state, "runs"));
    size_t i;
    json_t *entry;

    summary.items =
        darn_pool_get(&summary.pool, json_array_size(index->entries) + 1, sizeof(*summary.items));
    summary.scope = darn_pool_format(&summary.pool, "%" JSON_INTEGER_FORMAT " controlled run%s",
                                     runs, runs == 1 ? "" : "s");
    json_array_foreach(index->entries, i, entry)
    {
        if (!darn_index_is_proof(entry))
            continue;
        if (all || !darn_index_leader(entry))
            summary.items[summary.item_count++] = darn_summary_item(findings[i]);
        else
            summary.variants++;
    }
    darn_format_find("text")->summary(out, &summary, style);
    darn_pool_release(&summary.pool);
}

static bool is_told(const json_t *told, const json_t *entry)
{
    return told && json_object_get(told, darn_index_id(entry));
}

/* So many variants are named. */
#define VARIANTS 5

/* Behind the report of the first: "  out/3: bank.c:12 (write), bank.c:31 (read) 'balance'" */
static void print_variants(const struct darn_index *index, struct darn_finding **findings,
                           const json_t *leader, const char *name, FILE *out,
                           const struct darn_style *style)
{
    size_t i, count = 0;
    json_t *entry;

    json_array_foreach(index->entries, i, entry)
    {
        const char *of = darn_index_leader(entry);

        if (!of || strcmp(of, darn_index_id(leader)) != 0)
            continue;
        if (!count++)
            fprintf(out, "variants of %s/%s, which have the same cause (--all):\n", name,
                    darn_index_directory(leader));
        if (count > VARIANTS)
            continue;
        if (darn_index_is_proof(entry))
            fprintf(out, "  %s/%s: ", name, darn_index_directory(entry));
        else
            fputs("  predicted: ", out);
        darn_cause_line(findings[i], out, style);
        fputc('\n', out);
    }
    if (count > VARIANTS)
        fprintf(out, "  and %zu more: see %s/index.jsonl\n", count - VARIANTS, name);
    if (count)
        fputc('\n', out);
}

/* The reports of what was proved and not told yet. Whether anything can be replayed. */
static bool print_proofs(const struct darn_index *index, struct darn_finding **findings,
                         const struct darn_index_wanted *wanted, FILE *out,
                         const struct darn_style *style)
{
    bool kept = false; /* the disk may have been full */
    size_t i;
    json_t *entry;

    json_array_foreach(index->entries, i, entry)
    {
        if (!darn_index_is_proof(entry))
            continue;
        kept |= findings[i]->schedule != NULL;
        if (darn_index_leader(entry) && !wanted->all)
            continue;
        if (!is_told(wanted->told, entry))
            darn_index_print_proof(index, entry, out);
        if (!wanted->all)
            print_variants(index, findings, entry, wanted->name, out, style);
    }
    return kept;
}

/* It was listed there. */
static bool is_variant_of_proof(const struct darn_index *index, const json_t *entry)
{
    const json_t *leader = darn_index_find(index, darn_index_leader(entry));

    return leader && darn_index_is_proof(leader);
}

static void print_predictions(const struct darn_index *index, struct darn_finding **findings,
                              const struct darn_index_wanted *wanted, FILE *out,
                              const struct darn_style *style)
{
    size_t i, predicted = 0, variants = 0;
    json_t *entry;

    json_array_foreach(index->entries, i, entry)
    {
        if (darn_index_directory(entry))
            continue;
        if (darn_index_leader(entry) && !wanted->all)
            variants += !is_variant_of_proof(index, entry);
        else if (predicted++ < PREDICTIONS)
            print_prediction(findings[i], entry, out, style);
    }
    if (predicted > PREDICTIONS)
        fprintf(out, "and %zu more that were predicted, but not confirmed: see %s/index.jsonl\n",
                predicted - PREDICTIONS, wanted->name);
    if (variants)
        fprintf(out, "and %zu variant%s of these: --all shows %s\n", variants,
                variants == 1 ? "" : "s", variants == 1 ? "it" : "them");
    if (predicted)
        fputc('\n', out);
}

/* "darn: 2 atomic sections that the compiler has inferred were interrupted, and nothing came of it:
 * see out/1, out/4" */
static void print_suspicions(const struct darn_index *index, const char *name, FILE *out)
{
    size_t i, count = 0, shown = 0;
    json_t *entry;

    json_array_foreach(index->entries, i, entry)
    {
        count += darn_index_is_suspicion(entry);
    }
    if (!count)
        return;
    fprintf(out,
            "darn: %zu atomic section%s that the compiler has inferred %s interrupted, and nothing "
            "came of it: see ",
            count, count == 1 ? "" : "s", count == 1 ? "was" : "were");
    json_array_foreach(index->entries, i, entry)
    {
        if (darn_index_is_suspicion(entry) && shown++ < VARIANTS)
            fprintf(out, "%s%s/%s", shown > 1 ? ", " : "", name, darn_index_directory(entry));
    }
    fputs(count > VARIANTS ? ", ...\n" : "\n", out);
}

void darn_index_print(const struct darn_index *index, const struct darn_index_wanted *wanted,
                      FILE *out, const struct darn_style *style)
{
    size_t count = json_array_size(index->entries);
    struct darn_finding **findings = darn_need_memory(calloc(count + 1, sizeof(*findings)));
    bool kept;

    for (size_t i = 0; i < count; i++)
        findings[i] = darn_finding_reported(json_array_get(index->entries, i));
    kept = print_proofs(index, findings, wanted, out, style);
    print_predictions(index, findings, wanted, out, style);
    print_suspicions(index, wanted->name, out);
    print_summary(index, findings, wanted->all, out, style);
    if (kept)
        fprintf(out, "darn: schedules, stories and logs are in %s\n", wanted->name);
    for (size_t i = 0; i < count; i++)
        darn_finding_free(findings[i]);
    free(findings);
}
