#include "driver/analysis/analysis.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "driver/analysis/gaps.h"
#include "driver/analysis/race_blocks.h"
#include "driver/process/listener.h"
#include "driver/process/wall_clock.h"
#include "report/shell.h"

/* Events are handed on in pieces: an engine is timed by the piece, and its code stays in the cache.
 */
#define PIECE 1024

#define PATIENCE 1.0 /* seconds without a word */
#define PROGRESS 0.2 /* seconds between two */

static bool is_given(const char *text)
{
    return text && *text;
}

static bool is_over(struct darn_analysis *analysis)
{
    double until = analysis->options->until;

    analysis->cut_off |= until && darn_clock() > until;
    return analysis->cut_off;
}

/* Reads the next piece: how many events it has, or -1. */
static int read_piece(struct darn_analysis *analysis, struct darn_trace *trace,
                      struct darn_event *piece)
{
    double start = darn_lineup_clock();
    int count = 0, result = 1;

    while (count < PIECE && (result = darn_trace_next(trace, &piece[count])) == 1) {
        analysis->has_functions |= piece[count].kind == DARN_EVENT_BEGIN;
        count++;
    }
    analysis->reading += darn_lineup_clock() - start;
    analysis->events += (uint64_t)count;
    return result < 0 ? -1 : count;
}

/* Whoever waits for more than a second is told, now and then. */
static bool is_long(double start, double *shown)
{
    double now = darn_clock();

    if (now - start < PATIENCE || now - *shown < PROGRESS)
        return false;
    *shown = now;
    return true;
}

/* 0 or DARN_REFUSED. */
static int feed(struct darn_analysis *analysis, struct darn_trace *trace)
{
    static struct darn_event piece[PIECE];
    double start = darn_clock(), shown = 0;
    int count;

    while ((count = is_over(analysis) ? 0 : read_piece(analysis, trace, piece)) > 0) {
        darn_lineup_events(&analysis->lineup, piece, (size_t)count);
        if (is_long(start, &shown))
            darn_tell_progress(analysis->listener, "%.1f million events so far",
                               (double)analysis->events / 1e6);
    }
    if (count < 0)
        return darn_tell_refusal(analysis->listener, "%s", darn_trace_error(trace));
    darn_lineup_finish(&analysis->lineup);
    return 0;
}

static void want_blocks(struct darn_analysis *analysis, struct darn_race_blocks *blocks)
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

size_t darn_analysis_add(struct darn_analysis *analysis, const struct darn_predicted *predicted)
{
    struct darn_finding *finding = darn_finding_predicted(predicted);

    add_arguments(finding, analysis->options->arguments);
    return darn_verdicts_add(&analysis->verdicts, finding, analysis->trace, &analysis->modules);
}

static void collect(struct darn_analysis *analysis, struct darn_trace *trace, const char *path,
                    const struct darn_race_blocks *blocks)
{
    struct darn_prediction_step uses[DARN_RACE_USES];
    double start = darn_clock(), shown = 0;

    for (size_t i = 0; i < analysis->lineup.count; i++) {
        const struct darn_lineup_entry *entry = &analysis->lineup.entries[i];
        size_t count;
        const struct darn_prediction *predictions =
            entry->engine->predictions(entry->state, &count);

        for (size_t j = 0; j < count && !(j && is_over(analysis)); j++) {
            struct darn_predicted predicted = {
                .trace = trace,
                .path = path,
                .prediction = &predictions[j],
                .engine = entry->engine->name,
                .block = darn_race_blocks_get(blocks, &predictions[j]),
                .guards = uses,
                .guard_count = darn_race_blocks_uses(blocks, &predictions[j], uses),
            };

            darn_explain_note(&analysis->explain, darn_analysis_add(analysis, &predicted), i, j);
            if (is_long(start, &shown))
                darn_tell_progress(analysis->listener,
                                   "looking up the symbols of %zu findings so far",
                                   analysis->verdicts.count);
        }
    }
    darn_tell_progress(analysis->listener, "%s", "");
}

/* The one finding that is to be explained, while its trace is open. 0 or DARN_REFUSED. */
static int explain(struct darn_analysis *analysis, struct darn_trace *trace, const char *path,
                   const struct darn_engine_config *config)
{
    const struct darn_analysis_options *options = analysis->options;
    int64_t chosen = darn_explain_choose(options->explain, &analysis->verdicts,
                                         analysis->suppressions, options->sure_first);
    const struct darn_explain_origin *origin;
    const struct darn_lineup_entry *entry;
    struct darn_explain_job job = {0};
    struct darn_witness witness;
    size_t count;
    int result;

    if (chosen < 0 || (size_t)chosen >= analysis->explain.count)
        return darn_tell_refusal(
            analysis->listener,
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
    };
    result = darn_witness_read(
        &witness, &entry->engine->predictions(entry->state, &count)[origin->prediction], trace,
        config);
    if (!result)
        analysis->explained(analysis->context, &job);
    darn_witness_free(&witness);
    return result ? darn_tell_refusal(analysis->listener, "out of memory") : 0;
}

struct darn_engine_config darn_analysis_config(const struct darn_analysis *analysis,
                                               const struct darn_places *places, bool in_order)
{
    const struct darn_analysis_options *options = analysis->options;

    return (struct darn_engine_config){
        .ignore_sync = options->ignore_sync,
        .suspect = options->suspect,
        .ignore_atomic = options->ignore_atomic,
        .place_of = darn_places_of,
        .predicate_of = darn_places_predicate,
        .ignore_escape = options->ignore_escape,
        .ignore_order = options->ignore_order,
        .block_work = options->block_work,
        .block_events = (uint32_t)options->block_events,
        .block_count = (uint32_t)options->block_count,
        .in_order = in_order,
        .is_unit = darn_places_is_unit,
        .reads_too = darn_places_reads_too,
        .context = places,
    };
}

/* What the trace lacks, and what of it nobody asked for. */
void darn_analysis_close(struct darn_analysis *analysis, struct darn_trace *trace, const char *path)
{
    struct darn_trace_about about = darn_trace_about(trace);

    darn_warn_of_gaps(analysis->listener, path, trace);
    analysis->lost += about.lost;
    analysis->at_least |= about.at_least;
    darn_unit_hints_trace(&analysis->hints, &analysis->unit_names, trace, analysis->has_functions);
}

/* 0 or DARN_REFUSED. */
static int analyze_trace(struct darn_analysis *analysis, struct darn_trace *trace, const char *path)
{
    struct darn_race_blocks blocks = {NULL, 0, 0, NULL, NULL};
    struct darn_places places = {.rules = darn_unit_names_rules(&analysis->unit_names)};
    struct darn_engine_config config =
        darn_analysis_config(analysis, &places, darn_trace_about(trace).is_text);
    int status;

    darn_places_make(&places, trace);
    if (darn_lineup_start(&analysis->lineup, &config))
        status = darn_tell_refusal(analysis->listener, "out of memory");
    else
        status = feed(analysis, trace);
    if (!status) {
        if (!analysis->cut_off)
            want_blocks(analysis, &blocks);
        darn_race_blocks_find(&blocks, trace);
        collect(analysis, trace, path, &blocks);
        darn_analysis_close(analysis, trace, path);
        if (is_given(analysis->options->explain))
            status = explain(analysis, trace, path, &config);
    }
    darn_lineup_stop(&analysis->lineup);
    darn_race_blocks_free(&blocks);
    darn_places_free(&places);
    return status;
}

int darn_analysis_read(struct darn_analysis *analysis, const char *path)
{
    char error[1024];
    struct darn_trace *trace =
        darn_trace_open(path, analysis->options->prefix, error, sizeof(error));
    int status;

    if (!trace)
        return darn_tell_refusal(analysis->listener, "%s", error);
    analysis->trace++;
    analysis->has_functions = false;
    status = analyze_trace(analysis, trace, path);
    darn_trace_close(trace);
    return status;
}

/* An engine that has reached a bound may have missed something. */
static void warn_of_limits(const struct darn_analysis *analysis)
{
    for (size_t i = 0; i < analysis->lineup.count; i++) {
        const struct darn_lineup_entry *entry = &analysis->lineup.entries[i];

        for (size_t j = 0; j < entry->fact_count; j++)
            if (entry->facts[j].is_limit)
                darn_tell_warning(analysis->listener, "engine %s: %" PRIu64 " %s",
                                  entry->engine->name, entry->facts[j].value, entry->facts[j].text);
    }
}

/* Whether somebody has asked for an engine that looks at functions, by its name. */
static bool wants_functions(const struct darn_analysis *analysis)
{
    const char *engines = analysis->options->engines;

    return is_given(engines) &&
           (strstr(engines, "blocks") || strstr(engines, "reduction") || strstr(engines, "serial"));
}

void darn_analysis_warn(const struct darn_analysis *analysis, bool hints)
{
    warn_of_limits(analysis);
    if (hints && wants_functions(analysis))
        darn_unit_hints_tell(&analysis->hints, analysis->listener);
}

int darn_analysis_begin(struct darn_analysis *analysis)
{
    const struct darn_analysis_options *options = analysis->options;
    const char *engines = options->sure_first ? DARN_LINEUP_SUSPECTS : DARN_LINEUP_DEFAULT;
    char error[1024];

    if (is_given(options->engines))
        engines = options->engines;
    if (darn_lineup_choose(&analysis->lineup, engines, error, sizeof(error)))
        return darn_tell_refusal(analysis->listener, "%s", error);
    if (darn_unit_names_read(&analysis->unit_names, options->transactions, options->no_transactions,
                             error, sizeof(error)))
        return darn_tell_refusal(analysis->listener, "transactions: %s", error);
    if (!is_given(options->suppressions))
        return 0;
    analysis->suppressions =
        darn_suppressions_read(options->suppressions, NULL, error, sizeof(error));
    return analysis->suppressions
               ? 0
               : darn_tell_refusal(analysis->listener, "suppressions: %s", error);
}

void darn_analysis_end(struct darn_analysis *analysis)
{
    darn_verdicts_free(&analysis->verdicts);
    darn_explain_free(&analysis->explain);
    darn_lineup_free(&analysis->lineup);
    darn_modules_close(&analysis->modules);
    darn_unit_hints_free(&analysis->hints);
    darn_unit_names_free(&analysis->unit_names);
    darn_suppressions_free(analysis->suppressions);
}

int darn_analysis_collect(const struct darn_analysis_options *options,
                          struct darn_listener *listener, const char *path,
                          struct darn_verdicts *verdicts)
{
    struct darn_analysis analysis = {.options = options, .listener = listener};
    int status = darn_analysis_begin(&analysis);

    if (!status)
        status = darn_analysis_read(&analysis, path);
    if (!status && analysis.suppressions)
        darn_verdicts_suppress(&analysis.verdicts, analysis.suppressions);
    if (!status && analysis.cut_off)
        darn_tell_note(listener, "predict: the trace is long: only a part of it was looked at");
    if (!status) {
        *verdicts = analysis.verdicts;
        analysis.verdicts = (struct darn_verdicts){0};
    }
    darn_analysis_end(&analysis);
    return status;
}
