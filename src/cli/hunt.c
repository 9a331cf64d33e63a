/*
 * darn hunt: predicts what could go wrong, makes it happen, and says what is left of it.
 */
#include "driver/hunt/hunt.h"
#include "driver/play/shown.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/line.h"
#include "driver/hunt/confirmed.h"
#include "driver/process/output.h"
#include "report/cause.h"
#include "report/export/sarif.h"
#include "report/raw.h"
#include "report/report_kinds.h"
#include "report/text/color.h"

/* The line: what is wanted of the driver, and what is done with the result. */
struct hunt_line {
    struct darn_hunt_options wanted;
    bool json;
    const char *json_file; /* NULL: stdout */
    const char *sarif;     /* or NULL */
    struct darn_shown shown;
    uint32_t color;
    bool all;
};

#define AT(field) offsetof(struct hunt_line, field)

static const struct darn_option options[] = {
    {.name = "seconds",
     .type = DARN_OPTION_SECONDS,
     .offset = AT(wanted.seconds_ms),
     .initial = "60",
     .value = "S",
     .help = "be done after S seconds, or sooner"},
    DARN_ROW_JOBS(AT(wanted.jobs)),
    {.name = "o",
     .type = DARN_OPTION_STRING,
     .offset = AT(wanted.directory),
     .value = "DIR",
     .help = "keep everything in DIR (default: darn-out, darn-out-2,\n"
             "...); a hunt that was begun there is continued"},
    {.name = "trials",
     .type = DARN_OPTION_WIDE,
     .offset = AT(wanted.trials),
     .initial = "20",
     .min = 1,
     .max = 1000000,
     .value = "N",
     .help = "runs for each prediction"},
    DARN_ROW_SEED(AT(wanted.seed)),
    DARN_ROW_TIMEOUT(AT(wanted.timeout_ms), AT(wanted.timeout_given)),
    DARN_ROW_MAX_STEPS(AT(wanted.max_steps), AT(wanted.max_steps_given)),
    {.name = "no-explore",
     .type = DARN_OPTION_FLAG,
     .offset = AT(wanted.no_explore),
     .help = "try the predictions only"},
    {.name = "no-shrink",
     .type = DARN_OPTION_FLAG,
     .offset = AT(wanted.no_shrink),
     .help = "leave the schedules as they were found"},
    DARN_ROW_EARLY(AT(wanted.early)),
    DARN_ROW_ORACLE(AT(wanted.oracle), ""),
    DARN_ROW_RESET(AT(wanted.reset)),
    DARN_ROW_WITH(AT(wanted.with)),
    DARN_ROW_STOP(AT(wanted.stop)),
    DARN_ROW_INPUT(AT(wanted.input)),
    {.name = "predicted",
     .type = DARN_OPTION_STRING,
     .offset = AT(wanted.predicted),
     .value = "FILE",
     .help = "also try what FILE has: PROGRAM.suspects, or the JSON\n"
             "Lines of darn predict or darn run"},
    {.name = "suppressions",
     .type = DARN_OPTION_STRING,
     .offset = AT(wanted.suppressions),
     .value = "FILE",
     .help = "leave out predictions that FILE names, in TSan's\n"
             "format: race:PATTERN, deadlock:PATTERN"},
    {.name = "sections",
     .type = DARN_OPTION_STRING,
     .offset = AT(wanted.sections),
     .value = "FILE",
     .help = "try to violate the atomic sections of FILE (default:\n"
             "what the compiler has inferred, without pairs)"},
    {.name = "report-spins",
     .type = DARN_OPTION_FLAG,
     .offset = AT(wanted.report_spins),
     .help = "a loop that waits for a plain variable and the store\n"
             "that ends it are a race, too; else synchronization"},
    {.name = "json",
     .type = DARN_OPTION_MAYBE,
     .offset = AT(json_file),
     .given = AT(json),
     .value = "FILE",
     .help = "print the findings as JSON Lines, or append them to FILE"},
    {.name = "sarif",
     .type = DARN_OPTION_STRING,
     .offset = AT(sarif),
     .value = "FILE",
     .help = "put the findings into FILE, too, as SARIF 2.1.0"},
    DARN_ROW_HTML(AT(shown.html)),
    DARN_ROW_ALL(AT(all)),
    DARN_ROW_STRIP(AT(wanted.strip_path_prefix)),
    DARN_ROW_COLOR(AT(color)),
    DARN_ROW_HELP,
    {.name = NULL},
};

#undef AT

static const struct darn_option_group groups[] = {{.options = options}, {.options = NULL}};

/* Where the reports go, and which were printed. */
static FILE *reports;
static json_t *told;
static bool shows_all;

static void print_more(const struct darn_confirmed *confirmed)
{
    const json_t *entry = confirmed->entry;
    const char *variable = json_string_value(json_object_get(entry, "variable"));

    fprintf(reports, "darn: %s/%s, %s%s%s%s, also led to %s\n\n", confirmed->name,
            darn_index_directory(entry), darn_kind_words(darn_index_kind(entry), 1),
            variable ? " on '" : "", variable ? variable : "", variable ? "'" : "",
            darn_outcome_words(confirmed->more));
}

/* Of what was printed: a proof that has the same cause and is as bad; NULL when there is none. */
static const json_t *find_leader(const struct darn_confirmed *confirmed,
                                 const struct darn_finding *finding)
{
    int rank = darn_index_rank(confirmed->entry);
    const char *id;
    json_t *unused;

    json_object_foreach(told, id, unused)
    {
        const json_t *entry = darn_index_find(confirmed->index, id);
        struct darn_finding *other = entry ? darn_finding_reported(entry) : NULL;
        bool leads = other && darn_index_rank(entry) <= rank && darn_cause_is_same(other, finding);

        darn_finding_free(other);
        if (leads)
            return entry;
    }
    return NULL;
}

/* It is listed at the end. */
static bool is_variant(const struct darn_confirmed *confirmed)
{
    struct darn_finding *finding = shows_all ? NULL : darn_finding_reported(confirmed->entry);
    bool leads = finding && find_leader(confirmed, finding);

    darn_finding_free(finding);
    return leads;
}

/* A finding is printed when it is confirmed: a hunt may take long. */
static void print_confirmed(struct darn_listener *listener, const struct darn_confirmed *confirmed)
{
    bool at_length = false;

    (void)listener;
    darn_clear_progress();
    if (confirmed->more)
        print_more(confirmed);
    else if (!is_variant(confirmed))
        at_length = true;
    if (at_length)
        darn_index_print_proof(confirmed->index, confirmed->entry, reports);
    fflush(reports);
    if (at_length)
        json_object_set_new(told, json_string_value(json_object_get(confirmed->entry, "id")),
                            json_true());
}

/* JSON Lines to a file. 0 or an exit status. */
static int append_json(const struct darn_hunt *hunt, const char *file)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    int status;

    darn_index_print_json(&hunt->index, out);
    fclose(out);
    status = darn_append_json("hunt", file, text, length);
    free(text);
    return status;
}

/* Proofs and predictions; not suspicions, which are no findings. 0 or an exit status. */
static int put_sarif(const struct darn_hunt *hunt, const char *file)
{
    size_t i;
    json_t *entry;
    int status = 0;

    json_array_foreach(hunt->index.entries, i, entry)
    {
        struct darn_finding *finding = darn_finding_reported(entry);

        if (!status && finding->access_count && !finding->is_suspicion)
            status = darn_lose_sarif(
                "hunt", file, darn_sarif_put(file, finding, hunt->options.strip_path_prefix));
        darn_finding_free(finding);
    }
    return status;
}

/* The page for a browser. 0 or an exit status. */
static int write_page(const struct darn_hunt *hunt, struct darn_shown shown)
{
    char *const directory = (char *)hunt->name;

    shown.strip_path_prefix = hunt->options.strip_path_prefix;
    return darn_show(&shown, hunt->listener, &directory, 1);
}

/* 0 or an exit status. */
static int report(struct darn_hunt *hunt, const struct hunt_line *line)
{
    bool json = line->json && !line->json_file;
    struct darn_style style = {hunt->options.strip_path_prefix,
                               darn_wants_color(line->color, fileno(reports))};
    struct darn_index_wanted wanted = {hunt->name, told, line->all};
    bool kept;
    int status;

    kept = darn_hunt_save(hunt) == 0;
    darn_index_group(&hunt->index); /* all of it: saving puts the predictions there anew */
    kept = kept && darn_index_write(&hunt->index) == 0;
    if (json)
        darn_index_print_json(&hunt->index, stdout);
    darn_index_print(&hunt->index, &wanted, reports, &style);
    status = darn_finish_output();
    if (!status && line->json_file)
        status = append_json(hunt, line->json_file);
    if (!status && line->sarif)
        status = put_sarif(hunt, line->sarif);
    if (!status && kept && line->shown.html)
        status = write_page(hunt, line->shown);
    return status ? status : !kept;
}

/* An exit status. */
static int hunt_down(struct darn_hunt *hunt, const struct hunt_line *line)
{
    int status = darn_hunt_prepare(hunt), printed, signal;
    bool found;

    if (status)
        return status;
    status = darn_hunt_run(hunt);
    signal = atomic_load(&hunt->exploration.interrupted);
    found = darn_index_proofs(&hunt->index);
    printed = report(hunt, line);
    if (found)
        return DARN_EXIT_FINDINGS;
    return printed ? printed : status ? status : signal ? 128 + signal : 0;
}

static int cmd_hunt(int argc, char **argv)
{
    static struct darn_hunt hunt;
    static struct hunt_line wanted;
    struct darn_listener *speaker = darn_speaker("hunt");
    struct darn_command_line line = {.command = &darn_command_hunt, .to = &wanted};
    int status;

    if (!darn_line_read(&line, argc, argv, &status))
        return status;
    wanted.wanted.program = line.count ? line.words : NULL;
    wanted.wanted.stop = (uint32_t)darn_stop_signals[wanted.wanted.stop];
    if (wanted.json_file && strcmp(wanted.json_file, "-") == 0)
        wanted.json_file = NULL;
    if (wanted.json_file)
        status = darn_refuse_output("hunt", "json: ", wanted.json_file,
                                    darn_output_check(wanted.json_file));
    if (!status)
        status = darn_begin_sarif("hunt", wanted.sarif, wanted.wanted.strip_path_prefix);
    if (!status && wanted.shown.html)
        status = darn_refuse_output("hunt", "html: ", wanted.shown.html,
                                    darn_output_check(wanted.shown.html));
    if (status)
        return status;
    reports = wanted.json && !wanted.json_file ? stderr : stdout;
    told = json_object();
    shows_all = wanted.all;
    speaker->confirmed = print_confirmed;
    darn_hunt_init(&hunt, &wanted.wanted, speaker);
    status = hunt_down(&hunt, &wanted);
    darn_hunt_free(&hunt);
    json_decref(told);
    return status;
}

const struct darn_command darn_command_hunt = {
    .name = "hunt",
    .summary = "predict bugs, make them happen, and keep schedules that show them",
    .usage = "hunt [options] [--] PROGRAM [arguments]\n"
             "hunt -o DIR",
    .about = "Predicts which data races, deadlocks and mishandled notifications a program that\n"
             "darn cc or darn c++ compiled could have, makes each of them happen in controlled\n"
             "runs, explores other schedules for failures that nobody predicted, and shrinks\n"
             "the schedules of what it found. What is confirmed replays: darn replay DIR/1.\n"
             "The exit status is 66 when something was confirmed, else 0.\n"
             "\n"
             "--name=value may also be written as two words: --name value.\n",
    .groups = groups,
    .operands = "PROGRAM",
    .guarded = true,
    .exits = "0 nothing was confirmed\n"
             "66 something was confirmed, in this or an earlier hunt of the directory",
    .see = "darn-cc(1), darn-replay(1), darn-report(1), darn-shrink(1), darn-heal(1)",
    .run = cmd_hunt,
};
