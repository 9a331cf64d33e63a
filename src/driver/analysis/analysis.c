#include "driver/analysis/analysis.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/color.h"
#include "cli/command.h"
#include "driver/analysis/explain.h"
#include "driver/analysis/gaps.h"
#include "driver/analysis/lineup.h"
#include "driver/process/output.h"
#include "driver/analysis/places.h"
#include "driver/analysis/race_blocks.h"
#include "cli/say.h"
#include "driver/analysis/unit_hints.h"
#include "driver/analysis/unit_names.h"
#include "driver/analysis/verdicts.h"
#include "report/report_format.h"
#include "report/predict.h"
#include "report/shell.h"
#include "report/sink.h"
#include "report/suppress.h"

/* Events are handed on in pieces: an engine is timed by the piece, and its code stays in the cache.
 */
#define PIECE 1024

struct analysis {
    const struct darn_analysis_options *options;
    struct darn_lineup lineup;
    struct darn_verdicts verdicts;
    struct darn_explain explain;
    struct darn_modules modules;
    struct darn_suppressions *suppressions;
    struct darn_unit_names unit_names;
    uint64_t events, lost;
    bool at_least;
    double reading; /* seconds */
    uint32_t trace; /* the number of the present one */
    struct darn_unit_hints hints;
    bool has_blocks;
    bool has_functions; /* the present trace has */
};

static bool is_given(const char *text)
{
    return text && *text;
}

/* Reads the next piece: how many events it has, or -1. */
static int read_piece(struct analysis *analysis, struct darn_trace *trace, struct darn_event *piece)
{
    double start = darn_lineup_clock();
    int count = 0, result = 1;

    while (count < PIECE && (result = darn_trace_next(trace, &piece[count])) == 1) {
        analysis->has_blocks |= piece[count].kind == DARN_EVENT_ALLOC;
        analysis->has_functions |= piece[count].kind == DARN_EVENT_BEGIN;
        count++;
    }
    analysis->reading += darn_lineup_clock() - start;
    analysis->events += (uint64_t)count;
    return result < 0 ? -1 : count;
}

/* 0, or an exit status. */
static int feed(struct analysis *analysis, struct darn_trace *trace)
{
    static struct darn_event piece[PIECE];
    int count;

    while ((count = read_piece(analysis, trace, piece)) > 0)
        darn_lineup_events(&analysis->lineup, piece, (size_t)count);
    if (count < 0)
        return darn_refuse(analysis->options->command, "%s", darn_trace_error(trace));
    darn_lineup_finish(&analysis->lineup);
    return 0;
}

static void want_blocks(struct analysis *analysis, struct darn_race_blocks *blocks)
{
    for (size_t i = 0; i < analysis->lineup.count; i++) {
        const struct darn_lineup_entry *entry = &analysis->lineup.entries[i];
        size_t count;
        const struct darn_prediction *predictions =
            entry->engine->predictions(entry->state, &count);

        for (size_t j = 0; j < count; j++)
            if (predictions[j].kind == DARN_PREDICTS_RACE ||
                predictions[j].kind == DARN_PREDICTS_ATOMICITY)
                darn_race_blocks_want(blocks, &predictions[j]);
    }
}

/* As in a shell, after a blank. */
static void add_arguments(struct darn_finding *finding, char *const *arguments)
{
    const char *line = "";

    for (; finding && arguments && *arguments; arguments++)
        line = darn_pool_format(&finding->pool, "%s %s", line,
                                darn_shell_word(&finding->pool, *arguments));
    if (finding && *line)
        finding->arguments = line;
}

static void collect(struct analysis *analysis, struct darn_trace *trace, const char *path,
                    const struct darn_race_blocks *blocks)
{
    for (size_t i = 0; i < analysis->lineup.count; i++) {
        const struct darn_lineup_entry *entry = &analysis->lineup.entries[i];
        size_t count;
        const struct darn_prediction *predictions =
            entry->engine->predictions(entry->state, &count);

        for (size_t j = 0; j < count; j++) {
            struct darn_predicted predicted = {
                .trace = trace,
                .path = path,
                .prediction = &predictions[j],
                .engine = entry->engine->name,
                .block = darn_race_blocks_get(blocks, &predictions[j]),
            };

            struct darn_finding *finding = darn_finding_predicted(&predicted);

            add_arguments(finding, analysis->options->arguments);
            darn_explain_note(&analysis->explain,
                              darn_verdicts_add(&analysis->verdicts, finding, analysis->trace,
                                                &analysis->modules),
                              i, j);
        }
    }
}

/* The one finding that is to be explained, while its trace is open. 0, or an exit status. */
static int explain(struct analysis *analysis, struct darn_trace *trace, const char *path,
                   const struct darn_engine_config *config)
{
    const struct darn_analysis_options *options = analysis->options;
    FILE *out = options->out ? options->out : stdout;
    struct darn_style style = {options->strip_path_prefix,
                               darn_wants_color(options->color, fileno(out))};
    int64_t chosen =
        darn_explain_choose(options->explain, &analysis->verdicts, analysis->suppressions);
    const struct darn_explain_origin *origin;
    const struct darn_lineup_entry *entry;
    struct darn_explain_job job = {0};
    struct darn_witness witness;
    size_t count;
    int result;

    if (chosen < 0 || (size_t)chosen >= analysis->explain.count)
        return darn_refuse(options->command,
                           "--explain: there is no finding '%s': %zu were found, and have the "
                           "numbers from 1 on in the order in which they are printed",
                           options->explain, analysis->verdicts.count);
    origin = &analysis->explain.origins[chosen];
    entry = &analysis->lineup.entries[origin->entry];
    job = (struct darn_explain_job){
        .finding = analysis->verdicts.items[chosen].finding,
        .engine = entry->engine,
        .state = entry->state,
        .prediction = origin->prediction,
        .witness = &witness,
        .trace = trace,
        .path = path,
        .modules = &analysis->modules,
        .style = &style,
    };
    result = darn_witness_read(
        &witness, &entry->engine->predictions(entry->state, &count)[origin->prediction], trace,
        config);
    if (!result) {
        darn_format_find("text")->finding(out, job.finding, &style);
        fputc('\n', out);
        darn_explain_print(out, &job);
    }
    darn_witness_free(&witness);
    return result ? darn_refuse(options->command, "out of memory") : 0;
}

/* 0, or an exit status. */
static int analyze_trace(struct analysis *analysis, struct darn_trace *trace, const char *path)
{
    const struct darn_analysis_options *options = analysis->options;
    struct darn_race_blocks blocks = {NULL, 0, 0};
    struct darn_trace_about about;
    struct darn_places places;
    struct darn_engine_config config = {
        .ignore_sync = options->ignore_sync,
        .ignore_atomic = options->ignore_atomic,
        .place_of = darn_places_of,
        .predicate_of = darn_places_predicate,
        .ignore_escape = options->ignore_escape,
        .ignore_order = options->ignore_order,
        .block_work = options->block_work,
        .block_events = (uint32_t)options->block_events,
        .block_count = (uint32_t)options->block_count,
        .is_unit = darn_places_is_unit,
        .reads_too = darn_places_reads_too,
        .context = &places,
    };
    int status;

    places.rules = darn_unit_names_rules(&analysis->unit_names);
    if (darn_places_make(&places, trace) || darn_lineup_start(&analysis->lineup, &config))
        status = darn_refuse(options->command, "out of memory");
    else
        status = feed(analysis, trace);
    if (!status) {
        if (analysis->has_blocks)
            want_blocks(analysis, &blocks);
        darn_race_blocks_find(&blocks, trace);
        collect(analysis, trace, path, &blocks);
        darn_warn_of_gaps(options->command, path, trace);
        about = darn_trace_about(trace);
        analysis->lost += about.lost;
        analysis->at_least |= about.at_least;
        darn_unit_hints_trace(&analysis->hints, &analysis->unit_names, trace,
                              analysis->has_functions);
        if (is_given(options->explain))
            status = explain(analysis, trace, path, &config);
    }
    darn_lineup_stop(&analysis->lineup);
    darn_race_blocks_free(&blocks);
    darn_places_free(&places);
    return status;
}

static int analyze_path(struct analysis *analysis, const char *path)
{
    char error[1024];
    struct darn_trace *trace =
        darn_trace_open(path, analysis->options->prefix, error, sizeof(error));
    int status;

    if (!trace)
        return darn_refuse(analysis->options->command, "%s", error);
    analysis->trace++;
    analysis->has_blocks = analysis->has_functions = false;
    status = analyze_trace(analysis, trace, path);
    darn_trace_close(trace);
    return status;
}

/* An engine that has reached a bound may have missed something. */
static void warn_of_limits(const struct analysis *analysis)
{
    for (size_t i = 0; i < analysis->lineup.count; i++) {
        const struct darn_lineup_entry *entry = &analysis->lineup.entries[i];

        for (size_t j = 0; j < entry->fact_count; j++)
            if (entry->facts[j].is_limit)
                darn_warn(analysis->options->command, "engine %s: %" PRIu64 " %s",
                          entry->engine->name, entry->facts[j].value, entry->facts[j].text);
    }
}

/* Whether somebody has asked for an engine that looks at functions, by its name. */
static bool wants_functions(const struct analysis *analysis)
{
    const char *engines = analysis->options->engines;

    return is_given(engines) && (strstr(engines, "blocks") || strstr(engines, "reduction"));
}

/* Prints what is not suppressed, and fills the items of the summary. */
static void print_findings(struct analysis *analysis, FILE *out, const struct darn_style *style,
                           FILE *json, struct darn_summary *summary)
{
    static const struct darn_style plain;

    for (size_t i = 0; i < analysis->verdicts.count; i++) {
        const struct darn_finding *finding = analysis->verdicts.items[i].finding;
        const struct darn_finding_access *first = &finding->accesses[0];

        if (analysis->suppressions && darn_suppressions_match(analysis->suppressions, finding)) {
            summary->suppressed++;
            continue;
        }
        darn_format_find("text")->finding(out, finding, style);
        if (strcmp(analysis->options->command, "analyze") == 0)
            fprintf(out, "  at length: --explain=%zu\n", summary->item_count + 1);
        fputc('\n', out);
        if (json)
            darn_format_find("json")->finding(json, finding, &plain);
        summary->items[summary->item_count++] = (struct darn_summary_item){
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
}

/* `1234 events (hb, hybrid)`, or `1234 of 5678 events (hb, hybrid)` */
static const char *scope_of(const struct analysis *analysis, struct darn_text_pool *pool)
{
    char *names = darn_lineup_names(&analysis->lineup);
    uint64_t all = analysis->events + analysis->lost;
    const char *of = analysis->lost ? darn_pool_format(pool, "%" PRIu64 " of %s", analysis->events,
                                                       analysis->at_least ? "at least " : "")
                                    : "";
    const char *scope = darn_pool_format(pool, "%s%" PRIu64 " event%s (%s)", of, all,
                                         all == 1 ? "" : "s", names ? names : "");

    free(names);
    return scope;
}

/* Everything at once, after the last trace was read: a trace that is bad leaves no half of a
 * report. 0 or 1, as the exit status of the output. */
static int print_report(struct analysis *analysis, struct darn_summary *summary, FILE *json)
{
    const struct darn_analysis_options *options = analysis->options;
    FILE *out = options->out ? options->out : stdout;
    struct darn_style style = {options->strip_path_prefix,
                               darn_wants_color(options->color, fileno(out))};

    summary->items =
        darn_pool_get(&summary->pool, analysis->verdicts.count + 1, sizeof(*summary->items));
    summary->scope = scope_of(analysis, &summary->pool);
    warn_of_limits(analysis);
    if (wants_functions(analysis) && !options->quiet)
        darn_unit_hints_print(&analysis->hints, options->command);
    print_findings(analysis, out, &style, json, summary);
    if (options->stats) {
        darn_lineup_print(&analysis->lineup, out, analysis->events, analysis->reading);
        fputc('\n', out);
    }
    if (summary->item_count || !options->quiet)
        darn_format_find("text")->summary(out, summary, &style);
    if (out == stdout)
        return darn_finish_output();
    fflush(out);
    return 0;
}

/* 0 or an exit status: the findings go to the text, and as JSON Lines to a file. */
static int report(struct analysis *analysis)
{
    const char *path = analysis->options->json;
    struct darn_summary summary = {0};
    char *text = NULL;
    size_t length = 0;
    FILE *json = is_given(path) ? open_memstream(&text, &length) : NULL;
    int status = print_report(analysis, &summary, json), result = 0;

    if (json) {
        fclose(json);
        result = darn_sink_append(path, text, length);
        free(text);
    }
    if (result)
        darn_warn(analysis->options->command, "json: %s cannot be written: %s", path,
                  strerror(-result));
    if (!status && result)
        status = 1;
    if (!status && summary.item_count)
        status = DARN_EXIT_FINDINGS;
    darn_pool_release(&summary.pool);
    return status;
}

/* What can be refused without reading a trace. 0 or an exit status. */
static int prepare(struct analysis *analysis)
{
    const struct darn_analysis_options *options = analysis->options;
    const char *engines = is_given(options->engines) ? options->engines : DARN_LINEUP_DEFAULT;
    char error[1024];
    int result = is_given(options->json) ? darn_output_check(options->json) : 0;

    if (result)
        return darn_refuse(options->command, "json: %s cannot be written: %s", options->json,
                           strerror(-result));
    if (darn_lineup_choose(&analysis->lineup, engines, error, sizeof(error)))
        return darn_refuse(options->command, "%s", error);
    if (darn_unit_names_read(&analysis->unit_names, options->transactions, options->no_transactions,
                             error, sizeof(error)))
        return darn_refuse(options->command, "transactions: %s", error);
    if (!is_given(options->suppressions))
        return 0;
    analysis->suppressions =
        darn_suppressions_read(options->suppressions, NULL, error, sizeof(error));
    return analysis->suppressions ? 0 : darn_refuse(options->command, "suppressions: %s", error);
}

int darn_analysis_check(const struct darn_analysis_options *options)
{
    struct analysis analysis = {.options = options};
    int status = prepare(&analysis);

    darn_lineup_free(&analysis.lineup);
    darn_unit_names_free(&analysis.unit_names);
    darn_suppressions_free(analysis.suppressions);
    return status;
}

static void end(struct analysis *analysis)
{
    darn_verdicts_free(&analysis->verdicts);
    darn_explain_free(&analysis->explain);
    darn_lineup_free(&analysis->lineup);
    darn_modules_close(&analysis->modules);
    darn_unit_hints_free(&analysis->hints);
    darn_unit_names_free(&analysis->unit_names);
    darn_suppressions_free(analysis->suppressions);
}

/* What was explained has been printed already. */
static int finish_explained(const struct analysis *analysis)
{
    int status = analysis->options->out ? 0 : darn_finish_output();

    return status ? status : DARN_EXIT_FINDINGS;
}

int darn_analysis_run_all(const struct darn_analysis_options *options, char *const *paths,
                          size_t count)
{
    struct analysis analysis = {.options = options};
    int status = prepare(&analysis);

    if (!status && is_given(options->explain) && count > 1)
        status = darn_refuse(options->command, "--explain takes one trace, not %zu", count);
    for (size_t i = 0; !status && i < count; i++)
        status = analyze_path(&analysis, paths[i]);
    if (!status)
        status = is_given(options->explain) ? finish_explained(&analysis) : report(&analysis);
    end(&analysis);
    return status;
}

int darn_analysis_run(const struct darn_analysis_options *options, const char *path)
{
    char *paths[] = {(char *)path};

    return darn_analysis_run_all(options, paths, 1);
}

int darn_analysis_collect(const struct darn_analysis_options *options, const char *path,
                          struct darn_verdicts *verdicts)
{
    struct analysis analysis = {.options = options};
    int status = prepare(&analysis);

    if (!status)
        status = analyze_path(&analysis, path);
    if (!status && analysis.suppressions)
        darn_verdicts_suppress(&analysis.verdicts, analysis.suppressions);
    if (!status) {
        *verdicts = analysis.verdicts;
        analysis.verdicts = (struct darn_verdicts){0};
    }
    end(&analysis);
    return status;
}
