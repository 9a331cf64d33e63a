/*
 * What an analysis has found, for people and as JSON Lines.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/draft.h"
#include "cli/analyze.h"
#include "driver/process/output.h"
#include "report/cause.h"
#include "report/export/sarif.h"
#include "report/report_format.h"
#include "report/shell.h"
#include "report/text/color.h"

#define LISTED 5

/* The suspicions that are not printed. */
struct suspects {
    size_t count;                              /* of races, */
    size_t orders;                             /* and of orders that nothing enforces */
    const char *engine;                        /* of the first race */
    const struct darn_finding *listed[LISTED]; /* the first orders */
    FILE *json;                                /* NULL: nobody wants them */
};

static const struct darn_style plain;

static bool is_given(const char *text)
{
    return text && *text;
}

/* --json=- has stdout for itself. */
static bool prints_json(const struct darn_analyze_line *line)
{
    return line->json && strcmp(line->json, "-") == 0;
}

FILE *darn_analyze_output(const struct darn_analyze_line *line)
{
    return line->out ? line->out : prints_json(line) ? stderr : stdout;
}

struct darn_style darn_analyze_style(const struct darn_analyze_line *line)
{
    return (struct darn_style){line->strip_path_prefix,
                               darn_wants_color(line->color, fileno(darn_analyze_output(line)))};
}

static void suspect(struct suspects *suspects, const struct darn_finding *finding)
{
    if (darn_finding_is(finding, "order-violation")) {
        if (suspects->orders < LISTED)
            suspects->listed[suspects->orders] = finding;
        suspects->orders++;
    } else if (!suspects->count++) {
        suspects->engine = finding->engine;
    }
    if (suspects->json)
        darn_format_find("json")->finding(suspects->json, finding, &plain);
}

/* For tools: as JSON Lines, and as SARIF. */
static void write_finding(const struct darn_analyze_line *line, const struct darn_finding *finding,
                          FILE *json)
{
    if (json)
        darn_format_find("json")->finding(json, finding, &plain);
    if (is_given(line->sarif))
        darn_lose_sarif(line->command, line->sarif,
                        darn_sarif_put(line->sarif, finding, line->strip_path_prefix));
}

void darn_analyze_read_baseline(const struct darn_analyze_line *line,
                                struct darn_collection *baseline)
{
    char error[1024];

    if (is_given(line->baseline))
        (void)darn_collection_read(baseline, line->baseline, error, sizeof(error));
}

/* What is to be printed, in its order: what is not suppressed or known, nor only suspected. */
static void sort_out(const struct darn_analyze_line *line, const struct darn_analysis *analysis,
                     struct suspects *suspects, struct darn_summary *summary,
                     struct darn_causes *causes, FILE *json)
{
    struct darn_collection baseline = {0};

    darn_analyze_read_baseline(line, &baseline);
    for (size_t i = 0; i < analysis->verdicts.count; i++) {
        struct darn_finding *finding = analysis->verdicts.items[i].finding;
        size_t leader;

        if (analysis->suppressions && darn_suppressions_match(analysis->suppressions, finding)) {
            summary->suppressed++;
            continue;
        }
        if (finding->both_ways)
            continue;
        if (line->wanted.sure_first && darn_verdict_is_suspicion(finding)) {
            suspect(suspects, finding);
            continue;
        }
        if (darn_collection_has(&baseline, finding)) {
            write_finding(line, finding, json);
            summary->suppressed++;
            continue;
        }
        leader = darn_causes_add(causes, finding);
        if (leader + 1 < causes->count)
            finding->variant_of = causes->findings[leader]->id;
    }
    darn_collection_free(&baseline);
}

static void print_finding(const struct darn_analyze_line *line, const struct darn_causes *causes,
                          size_t index)
{
    struct darn_style style = darn_analyze_style(line);
    FILE *out = darn_analyze_output(line);

    darn_format_find("text")->finding(out, causes->findings[index], &style);
    if (!line->all)
        darn_causes_print(causes, index, out, &style);
    if (line->numbered)
        fprintf(out, "  at length: --explain=%zu\n", index + 1);
    fputc('\n', out);
}

/* Prints them, and fills the items of the summary. */
static void print_findings(const struct darn_analyze_line *line, const struct darn_causes *causes,
                           FILE *json, struct darn_summary *summary)
{
    for (size_t i = 0; i < causes->count; i++) {
        const struct darn_finding *finding = causes->findings[i];

        write_finding(line, finding, json);
        if (finding->variant_of && !line->all) {
            summary->variants++;
            continue;
        }
        if (i >= line->told)
            print_finding(line, causes, i);
        summary->items[summary->item_count++] = darn_summary_item(finding);
    }
}

/* `hb, hybrid`; not the one that has found suspicions: it is not among those that found nothing. */
static const char *names_of(const struct darn_lineup *lineup, const struct suspects *suspects,
                            bool sure_first, struct darn_text_pool *pool)
{
    const char *names = "";

    for (size_t i = 0; i < lineup->count; i++) {
        const char *name = lineup->entries[i].engine->name;

        if (sure_first && darn_verdict_is_by("orders", name))
            continue; /* what it says is listed apart */
        if (!suspects->count || !darn_verdict_is_by(suspects->engine, name))
            names = darn_pool_format(pool, "%s%s%s", names, *names ? ", " : "", name);
    }
    return names;
}

/* `1234 events (hb, hybrid)`, `1234 of 5678 events (hb, hybrid)`, `1234 events of 3 runs (hb)` */
static const char *scope_of(const struct darn_analysis *analysis, const struct suspects *suspects,
                            struct darn_text_pool *pool)
{
    uint64_t all = analysis->events + analysis->lost;
    const char *of = analysis->lost ? darn_pool_format(pool, "%" PRIu64 " of %s", analysis->events,
                                                       analysis->at_least ? "at least " : "")
                                    : "";

    const char *runs =
        analysis->trace > 1 ? darn_pool_format(pool, " of %u runs", analysis->trace) : "";

    return darn_pool_format(
        pool, "%s%" PRIu64 " event%s%s (%s)", of, all, all == 1 ? "" : "s", runs,
        names_of(&analysis->lineup, suspects, analysis->options->sure_first, pool));
}

static uint64_t rate(uint64_t events, double seconds)
{
    return seconds > 0 ? (uint64_t)((double)events / seconds) : 0;
}

static void print_facts(const struct darn_lineup *lineup, FILE *out)
{
    for (size_t i = 0; i < lineup->count; i++) {
        const struct darn_lineup_entry *entry = &lineup->entries[i];

        for (size_t j = 0; j < entry->fact_count; j++)
            fprintf(out, "%s: %" PRIu64 " %s\n", entry->engine->name, entry->facts[j].value,
                    entry->facts[j].text);
    }
}

/* What each engine found and cost. */
static void print_costs(const struct darn_analysis *analysis, bool facts, FILE *out)
{
    const struct darn_lineup *lineup = &analysis->lineup;

    fprintf(out, "%-16s %9s %12s %10s %12s %12s %9s\n", "engine", "distinct", "dynamic", "seconds",
            "events/s", "memory (kB)", "dropped");
    for (size_t i = 0; i < lineup->count; i++) {
        const struct darn_lineup_entry *entry = &lineup->entries[i];

        fprintf(out,
                "%-16s %9" PRIu64 " %12" PRIu64 " %10.3f %12" PRIu64 " %12" PRIu64 " %9" PRIu64
                "\n",
                entry->engine->name, entry->distinct, entry->dynamic, entry->seconds,
                rate(entry->events, entry->seconds), (uint64_t)(entry->cost.peak + 1023) / 1024,
                entry->cost.dropped);
    }
    fprintf(out, "%-16s %9s %12s %10.3f %12" PRIu64 "\n", "(reading)", "", "", analysis->reading,
            rate(analysis->events, analysis->reading));
    if (facts)
        print_facts(lineup, out);
    fputc('\n', out);
}

void darn_analyze_engines(FILE *out)
{
    for (size_t i = 0; i < darn_engine_count(); i++) {
        const struct darn_engine *engine = darn_engine_at(i);

        fprintf(out, "%-16s %s\n", engine->name, engine->help);
    }
}

/* What goes to stdout is all that there is to say. 0, or 1 when it could not be written. */
static int finish(FILE *out)
{
    if (out == stdout)
        return darn_finish_output();
    fflush(out);
    return 0;
}

/* 0 or a negative errno. */
static int finish_suspects(FILE *file, const char *text, size_t length)
{
    bool failed = fwrite(text, 1, length, file) != length;

    return fclose(file) || failed ? -errno : 0;
}

/* The same. A device or a pipe is written to: put in its place, a file would replace it. */
static int write_suspects(const char *path, bool is_file, const char *text, size_t length)
{
    struct darn_draft draft;
    FILE *device = is_file ? NULL : fopen(path, "we");
    int result;

    if (device)
        return finish_suspects(device, text, length);
    result = is_file ? darn_draft_open(&draft, path, false) : -errno;
    if (result)
        return result;
    fwrite(text, 1, length, draft.file);
    return darn_draft_finish(&draft, 0);
}

/* Puts them into their file; one of an earlier time does not stay. Whether it is there. */
static bool keep_suspects(const struct darn_analyze_line *line, const struct suspects *suspects,
                          const char *text, size_t length)
{
    struct stat about;
    bool is_new = line->suspects && stat(line->suspects, &about);
    bool is_file = is_new || (line->suspects && S_ISREG(about.st_mode));
    int result;

    if (!line->suspects || (!line->suspects_asked_for &&
                            (!is_file || (is_new && !suspects->count && !suspects->orders))))
        return false;
    result = write_suspects(line->suspects, is_file, text, length);
    if (result && line->suspects_asked_for)
        darn_lost(line->command, "suspects: %s cannot be written: %s", line->suspects,
                  strerror(-result));
    return is_file && !result;
}

/* `f.c:33 (write) before f.c:22 (read) of 'table', 3 times` */
static void list_order(const struct darn_analyze_line *line, const struct darn_finding *finding)
{
    struct darn_style style = darn_analyze_style(line);
    FILE *out = darn_analyze_output(line);

    for (size_t i = 0; i < 2 && finding->access_count == 2; i++) {
        const struct darn_finding_access *access = &finding->accesses[i];

        fprintf(out, "%s%s:%u (%s)", i ? " before " : "  ",
                access->file ? darn_style_path(&style, access->file) : "?", access->line,
                darn_op_name(access->op));
    }
    if (finding->variable)
        fprintf(out, " of '%s'", finding->variable);
    fprintf(out, ", %" PRIu64 " time%s of %" PRIu64 "\n", finding->came,
            finding->came == 1 ? "" : "s", finding->came);
}

/* The command that finds out. */
static const char *trying(const struct darn_analyze_line *line, bool kept,
                          struct darn_text_pool *pool)
{
    const char *command = "darn hunt";

    if (kept)
        command = darn_pool_format(pool, "%s --predicted=%s", command,
                                   darn_shell_word(pool, line->suspects));
    for (char *const *word = line->program; word && *word; word++)
        command = darn_pool_format(pool, "%s%s %s", command, word == line->program ? " --" : "",
                                   darn_shell_word(pool, *word));
    return command;
}

/* One line for all races, and the orders that are read first. */
static void say_suspects(const struct darn_analyze_line *line, const struct suspects *suspects,
                         bool kept, struct darn_summary *summary)
{
    const char *command = trying(line, kept, &summary->pool);
    FILE *out = darn_analyze_output(line);

    if (suspects->count)
        fprintf(out,
                "darn %s: %zu%s possible data race%s only suspected (%s): %s tries %s, --engine=%s "
                "shows %s\n",
                line->command, suspects->count, summary->item_count ? " more" : "",
                suspects->count == 1 ? " is" : "s are", suspects->engine, command,
                suspects->count == 1 ? "it" : "them", suspects->engine,
                suspects->count == 1 ? "it" : "them");
    if (suspects->orders)
        fprintf(out,
                "darn %s: %zu order%s always kept, and enforced by nothing (orders): %s tries the "
                "other one%s\n",
                line->command, suspects->orders, suspects->orders == 1 ? " was" : "s were", command,
                suspects->orders == 1 ? "" : "s");
    for (size_t i = 0; i < suspects->orders && i < LISTED; i++)
        list_order(line, suspects->listed[i]);
    if (suspects->orders > LISTED)
        fprintf(out, "  and %zu more: --engine=orders shows them\n", suspects->orders - LISTED);
}

/* Who asks for all engines compares them. */
static bool is_all(const char *engines)
{
    return is_given(engines) && strcmp(engines, "all") == 0;
}

/* Everything at once, after the last trace was read: a trace that is bad leaves no half of a
 * report. 0 or 1, as the exit status of the output. */
static int print_report(const struct darn_analyze_line *line, const struct darn_analysis *analysis,
                        struct darn_summary *summary, FILE *json)
{
    struct darn_style style = darn_analyze_style(line);
    FILE *out = darn_analyze_output(line);
    struct suspects suspects = {0};
    struct darn_causes causes = {.count = 0};
    char *text = NULL;
    size_t length = 0;

    summary->items =
        darn_pool_get(&summary->pool, analysis->verdicts.count + 1, sizeof(*summary->items));
    suspects.json = line->suspects ? open_memstream(&text, &length) : NULL;
    darn_analysis_warn(analysis, !line->quiet);
    sort_out(line, analysis, &suspects, summary, &causes, json);
    print_findings(line, &causes, json, summary);
    darn_causes_free(&causes);
    if (suspects.json)
        fclose(suspects.json);
    if (line->stats || is_all(analysis->options->engines))
        print_costs(analysis, line->stats, out);
    say_suspects(line, &suspects, text && keep_suspects(line, &suspects, text, length), summary);
    free(text);
    summary->scope = scope_of(analysis, &suspects, &summary->pool);
    if (summary->item_count || !line->quiet)
        darn_format_find("text")->summary(out, summary, &style);
    return finish(out);
}

int darn_analyze_report(const struct darn_analyze_line *line, const struct darn_analysis *analysis)
{
    struct darn_summary summary = {0};
    char *text = NULL;
    size_t length = 0;
    FILE *json = is_given(line->json) ? open_memstream(&text, &length) : NULL;
    int status = print_report(line, analysis, &summary, json), lost = 0;

    if (json) {
        fclose(json);
        lost = darn_append_json(line->command, line->json, text, length);
        free(text);
    }
    if (!status)
        status = lost;
    if (!status && summary.item_count)
        status = DARN_EXIT_FINDINGS;
    darn_pool_release(&summary.pool);
    return status;
}

static void print_explained(void *context, const struct darn_explain_job *job)
{
    const struct darn_analyze_line *line = context;
    struct darn_style style = darn_analyze_style(line);
    FILE *out = darn_analyze_output(line);

    darn_format_find("text")->finding(out, job->finding, &style);
    fputc('\n', out);
    darn_explain_print(out, job, &style);
}

int darn_analyze_begin(const struct darn_analyze_line *line, struct darn_analysis *analysis)
{
    int result = is_given(line->json) && !prints_json(line) ? darn_output_check(line->json) : 0;

    *analysis = (struct darn_analysis){
        .options = &line->wanted,
        .listener = darn_speaker(line->command),
        .explained = print_explained,
        .context = (void *)line,
    };
    result = darn_refuse_output(line->command, "json: ", line->json, result);
    if (!result)
        result = darn_begin_sarif(line->command, line->sarif, line->strip_path_prefix);
    if (!result)
        result = darn_check_baseline(line->command, line->baseline);
    if (!result && line->suspects_asked_for)
        result = darn_refuse_output(line->command, "suspects: ", line->suspects,
                                    darn_output_check(line->suspects));
    return result ? result : darn_analysis_begin(analysis);
}

int darn_analyze_check(const struct darn_analyze_line *line)
{
    struct darn_analysis analysis;
    int status = darn_analyze_begin(line, &analysis);

    darn_analysis_end(&analysis);
    return status;
}

int darn_analyze_traces(const struct darn_analyze_line *line, char *const *paths, size_t count)
{
    bool explains = is_given(line->wanted.explain);
    struct darn_analysis analysis;
    int status = darn_analyze_begin(line, &analysis);

    if (!status && explains && count > 1)
        status = darn_refuse(line->command, "--explain takes one trace, not %zu", count);
    for (size_t i = 0; !status && i < count; i++)
        status = darn_analysis_read(&analysis, paths[i]);
    if (!status && explains) { /* it has been printed already */
        status = line->out ? 0 : darn_finish_output();
        status = status ? status : DARN_EXIT_FINDINGS;
    } else if (!status) {
        status = darn_analyze_report(line, &analysis);
    }
    darn_analysis_end(&analysis);
    return status;
}
