/*
 * darn report: what the runtime found becomes what people and tools read.
 *
 *   darn report              one raw finding on stdin (docs/raw-finding-format.md)
 *   darn report --summary    the findings of a run that ends, on stdin
 *   darn report --locks      a trace of a run that ends, on stdin
 *   darn report --check      whether the files that DARN_OPTIONS names can be used
 *   darn report DIRECTORY    what a hunt has found (index.h); this one is for people, and so is
 *   darn report FILE...      what several runs have found (report_files.h)
 *
 * All but the last two are asked by the program under test (report_raw.h).
 */
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/line.h"
#include "cli/report/report_campaign.h"
#include "cli/report/report_files.h"
#include "cli/report/report_raw.h"
#include "cli/say.h"
#include "driver/play/index.h"
#include "driver/play/shown.h"
#include "report/raw.h"
#include "report/report_format.h"
#include "report/text/color.h"

/* The runtime blocks all signals in the thread that starts us. A reader of our output who leaves is
 * no reason to leave the JSON file unwritten. */
static void set_signals(void)
{
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_IGN);
}

struct report_line {
    struct darn_report_files files;
    struct darn_style style;
    uint32_t color;
    bool summary, locks, check; /* what a program asks for */
    struct darn_shown shown;
};

#define AT(field) offsetof(struct report_line, field)

static const struct darn_option options[] = {
    {.name = "json",
     .type = DARN_OPTION_FLAG,
     .offset = AT(files.json),
     .help = "print JSON Lines: one object for each finding"},
    DARN_ROW_ALL(AT(files.all)),
    DARN_ROW_HTML(AT(shown.html)),
    DARN_ROW_PERFETTO(AT(shown.perfetto)),
    {.name = "sarif",
     .type = DARN_OPTION_STRING,
     .offset = AT(files.sarif),
     .value = "FILE",
     .help = "write SARIF 2.1.0, which code-scanning services and\n"
             "editors read, to FILE; -: print it"},
    {.name = "annotate",
     .type = DARN_OPTION_WORD,
     .offset = AT(files.annotate),
     .value = "github|gitlab",
     .help = "print what that service shows at the lines of a change:\n"
             "workflow commands, or a code quality report"},
    {.name = "baseline",
     .type = DARN_OPTION_STRING,
     .offset = AT(files.baseline),
     .value = "FILE",
     .help = "findings of an earlier time, as JSON Lines: only what\n"
             "is new is printed, and counts for the exit status"},
    {.name = "suppressions",
     .type = DARN_OPTION_STRING,
     .offset = AT(files.suppressions),
     .value = "FILE",
     .help = "leave out what FILE names, in TSan's format, and say\n"
             "which of its lines match nothing"},
    DARN_ROW_STRIP(AT(style.strip_path_prefix)),
    DARN_ROW_COLOR(AT(color)),
    DARN_ROW_HELP,
    {.name = "summary", .type = DARN_OPTION_FLAG, .offset = AT(summary)},
    {.name = "locks", .type = DARN_OPTION_FLAG, .offset = AT(locks)},
    {.name = "check", .type = DARN_OPTION_FLAG, .offset = AT(check)},
    {.name = NULL},
};

#undef AT

static const struct darn_option_group groups[] = {{.options = options}, {.options = NULL}};

static bool has_file(const char *directory, const char *name)
{
    char path[PATH_MAX + 16];

    snprintf(path, sizeof(path), "%s/%s", directory, name);
    return access(path, F_OK) == 0;
}

static bool is_hunt(const char *directory)
{
    return has_file(directory, "state.json");
}

static bool is_finding(const char *directory)
{
    return has_file(directory, "finding.json");
}

/* One finding of a hunt, with its story. */
static int print_kept(const struct report_line *line, const char *directory)
{
    char path[PATH_MAX + 16];
    json_t *object;
    struct darn_finding *finding;

    snprintf(path, sizeof(path), "%s/finding.json", directory);
    object = json_load_file(path, 0, NULL);
    finding = darn_finding_reported(object);
    if (!finding->id) {
        darn_finding_free(finding);
        json_decref(object);
        return darn_refuse("report", "%s is no finding", path);
    }
    darn_format_find("text")->finding(stdout, finding, &line->style);
    snprintf(path, sizeof(path), "%s/story.txt", directory);
    putchar('\n');
    darn_print_file(path, stdout);
    darn_finding_free(finding);
    json_decref(object);
    return DARN_EXIT_FINDINGS;
}

static int print_index(const struct report_line *line, const char *directory)
{
    struct darn_index_wanted wanted = {.name = directory, .all = line->files.all};
    struct darn_index index;
    int status = darn_index_open(&index, darn_speaker("report"), directory);
    size_t proofs;

    if (status)
        return status;
    proofs = darn_index_proofs(&index);
    darn_index_group(&index);
    if (line->files.json)
        darn_index_print_json(&index, stdout);
    else
        darn_index_print(&index, &wanted, stdout, &line->style);
    darn_index_close(&index);
    status = darn_finish_output();
    return status ? status : proofs ? DARN_EXIT_FINDINGS : 0;
}

static bool is_directory(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* The directory of one hunt is told with its stories, unless findings of it are left out. */
static int report_paths(struct report_line *wanted, const struct darn_command_line *line)
{
    const struct darn_report_files *files = &wanted->files;
    int status = 0;

    if (!line->count)
        return darn_refuse("report",
                           "nothing to report; usage: darn report [options] DIRECTORY, or "
                           "darn report [options] FILE...");
    for (int i = 0; i < line->count; i++)
        if (darn_report_is_database(line->words[i]))
            return darn_refuse("report",
                               "%s is the database of a campaign; --html=FILE makes a page of it, "
                               "darn campaign status --json=FILE has its findings",
                               line->words[i]);
    for (int i = 0; i < line->count; i++)
        if (is_directory(line->words[i]) && !is_hunt(line->words[i]) && !is_finding(line->words[i]))
            return darn_refuse("report", "%s is not the directory of a hunt or of a finding",
                               line->words[i]);
    wanted->style.color = darn_wants_color(wanted->color, STDOUT_FILENO);
    if (line->count > 1 || !is_directory(line->words[0]) || files->annotate || files->baseline ||
        files->suppressions || (files->json && is_finding(line->words[0])))
        return darn_report_merge(files, &wanted->style, line->words, line->count);
    if (files->sarif)
        status = darn_report_sarif(files, &wanted->style, line->words, 1);
    if (status)
        return status;
    return is_finding(line->words[0]) ? print_kept(wanted, line->words[0])
                                      : print_index(wanted, line->words[0]);
}

/* For a browser or a trace viewer. What is for others is written as well; people have asked for
 * something else than text then. */
static int show(struct report_line *wanted, const struct darn_command_line *line)
{
    const struct darn_report_files *files = &wanted->files;
    struct darn_report_campaign campaign;
    int status = darn_report_campaign_open(&campaign, line->words, line->count, &wanted->shown);

    if (!status)
        status = darn_report_show(files, &wanted->style, &wanted->shown, campaign.paths.items,
                                  (int)campaign.paths.count);
    darn_report_campaign_close(&campaign);
    if (status && status != DARN_EXIT_FINDINGS)
        return status;
    return files->sarif || files->annotate || files->json ? report_paths(wanted, line) : status;
}

static int cmd_report(int argc, char **argv)
{
    struct report_line wanted = {.color = DARN_COLOR_AUTO};
    struct darn_command_line line = {.command = &darn_command_report, .to = &wanted};
    int status;

    set_signals();
    if (!darn_line_read(&line, argc, argv, &status))
        return status;
    if (wanted.check)
        return darn_report_check();
    if (wanted.shown.html || wanted.shown.perfetto)
        return show(&wanted, &line);
    if (argc > 1 && !wanted.summary && !wanted.locks)
        return report_paths(&wanted, &line);
    return darn_report_input(wanted.summary, wanted.locks);
}

const struct darn_command darn_command_report = {
    .name = "report",
    .summary = "print what hunts and runs have found",
    .usage = "report [options] DIRECTORY\n"
             "report [options] FILE...",
    .about = "Prints what a hunt has found, from the directory that it left; or what runs have\n"
             "found, from the files that they wrote with --json. The findings of several files\n"
             "are put together: what was seen in the most of them comes first. The exit status\n"
             "is 66 when something was confirmed, or when there is a finding in the files.\n",
    .groups = groups,
    .operands = "FILE",
    .anywhere = true,
    .exits = "0 nothing was confirmed; with files: there are no findings, or no new ones\n"
             "66 something was confirmed; with files: there are findings",
    .see = "darn-hunt(1), darn-run(1), darn-replay(1)",
    .run = cmd_report,
};
