/*
 * darn report: what the runtime found becomes what people and tools read.
 *
 *   darn report              one raw finding on stdin (docs/raw-finding-format.md)
 *   darn report --summary    the findings of a run that ends, on stdin
 *   darn report --locks      a trace of a run that ends, on stdin
 *   darn report --check      whether the files that DARN_OPTIONS names can be used
 *   darn report DIRECTORY    what a hunt has found (index.h); this one is for people
 *
 * It is run by the program under test, which waits for it: whatever goes wrong here, the finding is
 * still printed as well as can be.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/options.h"
#include "cli/analyze.h"
#include "report/text/color.h"
#include "cli/line.h"
#include "driver/play/index.h"
#include "driver/process/output.h"
#include "cli/say.h"
#include "report/cause.h"
#include "report/counts.h"
#include "report/report_format.h"
#include "report/report_kinds.h"
#include "report/sink.h"
#include "report/suppress.h"
#include "report/symbol/resolve.h"
#include "trace/trace.h"

#define EXIT_SUPPRESSED 3
#define MOST_INPUT      (64u << 20)

/* A text that grows. */
struct text {
    char *bytes;
    size_t length;
};

/* The runtime blocks all signals in the thread that starts us. A reader of our output who leaves is
 * no reason to leave the JSON file unwritten. */
static void set_signals(void)
{
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_IGN);
}

/* Everything on stdin. 0, or an exit status. */
static int read_input(struct text *input)
{
    FILE *to = open_memstream(&input->bytes, &input->length);
    char piece[16384];
    size_t got;

    if (!to)
        return darn_refuse("report", "out of memory");
    while ((got = fread(piece, 1, sizeof(piece), stdin)) > 0 &&
           (size_t)ftell(to) + got <= MOST_INPUT)
        fwrite(piece, 1, got, to);
    fclose(to);
    if (ferror(stdin))
        return darn_refuse("report", "the input cannot be read: %s", strerror(errno));
    return got ? darn_refuse("report", "the input is too long") : 0;
}

/* Bad options were complained of when the program started; those before them count. */
static void read_options(struct darn_options *options)
{
    const char *variable = getenv(DARN_OPTIONS_VARIABLE);
    char error[DARN_OPTIONS_ERROR];

    darn_options_default(options);
    if (variable)
        (void)darn_options_parse(options, variable, error, sizeof(error));
}

/* What a report is made from: one of the two. */
struct subject {
    const struct darn_finding *finding;
    const struct darn_summary *summary;
    int64_t pid;
    bool is_variant; /* a line will do, for people */
};

/* "darn: data race with the same cause: bank.c:12 (write), bank.c:31 (read) 'balance'" */
static void print_variant(FILE *out, const struct darn_finding *finding,
                          const struct darn_style *style)
{
    fprintf(out, "darn: %s%s with the same cause: ",
            darn_finding_is_predicted(finding) ? "possible " : "",
            darn_kind_words(finding->kind, 1));
    darn_cause_line(finding, out, style);
    fputc('\n', out);
}

static struct text render(const struct darn_format *format, const struct subject *subject,
                          const struct darn_style *style, bool blank_line_first)
{
    struct text text = {NULL, 0};
    FILE *out = open_memstream(&text.bytes, &text.length);

    if (!out)
        return text;
    if (blank_line_first)
        fputc('\n', out);
    if (subject->finding && subject->is_variant)
        print_variant(out, subject->finding, style);
    else if (subject->finding)
        format->finding(out, subject->finding, style);
    else
        format->summary(out, subject->summary, style);
    fclose(out);
    return text;
}

/* Reports are set off by a blank line from what comes before them: the program's own output, or
 * another report. */
static bool is_empty_file(int fd)
{
    struct stat about;

    return fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_size == 0;
}

/* Writes to the log, which is closed then. What it cannot take goes to stderr: a report is not lost
 * because a disk is full. */
static void write_log(const struct darn_options *options, int fd, const struct text *text)
{
    int result = fd < 0 ? fd : darn_sink_write(fd, text->bytes, text->length);

    if (fd > STDERR_FILENO && close(fd) && !result) /* some file systems tell it only now */
        result = -errno;
    if (!result || fd == STDERR_FILENO) /* or there is nobody left to tell */
        return;
    darn_warn("report", "log_path: %s cannot be written: %s; this goes to stderr instead",
              options->log_path, strerror(-result));
    (void)darn_sink_write(STDERR_FILENO, text->bytes, text->length);
}

static void print_text(const struct darn_options *options, const struct subject *subject)
{
    int fd = darn_sink_open(options->log_path, subject->pid);
    struct darn_style style = {options->strip_path_prefix, darn_wants_color(options->color, fd)};
    struct text text = render(darn_format_find("text"), subject, &style, !is_empty_file(fd));

    write_log(options, fd, &text);
    free(text.bytes);
}

static void warn_json(const struct darn_options *options, int result)
{
    if (result)
        darn_warn("report", "json: %s cannot be written: %s", options->json, strerror(-result));
}

static void append_json(const struct darn_options *options, const struct subject *subject)
{
    struct darn_style style = {NULL, false};
    struct text text;

    if (!options->json[0])
        return;
    text = render(darn_format_find("json"), subject, &style, false);
    warn_json(options, darn_sink_append(options->json, text.bytes, text.length));
    free(text.bytes);
}

/* A file that cannot be read suppresses nothing. */
static bool is_suppressed(const struct darn_options *options, const struct darn_finding *finding)
{
    struct darn_suppressions *suppressions;
    char error[1024];
    bool suppressed;

    if (!options->suppressions[0])
        return false;
    suppressions =
        darn_suppressions_read(options->suppressions, finding->program, error, sizeof(error));
    if (!suppressions) {
        darn_warn("report", "suppressions: %s", error);
        return false;
    }
    suppressed = darn_suppressions_match(suppressions, finding);
    darn_suppressions_free(suppressions);
    return suppressed;
}

/* What was predicted has its line there already. */
static void settle_json(const struct darn_options *options, const struct darn_finding *finding)
{
    const char *id = finding->run_id ? finding->run_id : finding->id;
    struct darn_summary_item item = {.id = id, .certainty = finding->certainty};
    struct darn_summary met = {.pid = finding->pid, .items = &item, .item_count = 1};

    if (options->json[0])
        warn_json(options, darn_counts_update(options->json, &met));
}

static int report_finding(const struct darn_options *options, const struct text *input)
{
    char error[512];
    struct darn_finding *finding =
        darn_finding_read(input->bytes, input->length, error, sizeof(error));
    struct subject subject = {.finding = finding};
    int status = EXIT_SUPPRESSED;

    if (!finding)
        return darn_refuse("report", "%s", error);
    subject.pid = finding->pid;
    darn_resolve(finding);
    if (!is_suppressed(options, finding)) {
        subject.is_variant = finding->variant_of && !options->all;
        print_text(options, &subject);
        subject.is_variant = false;
        if (finding->was_predicted)
            settle_json(options, finding);
        else
            append_json(options, &subject);
        status = 0;
    }
    darn_finding_free(finding);
    return status;
}

static int report_summary(const struct darn_options *options, const struct text *input)
{
    char error[512];
    struct darn_summary *summary =
        darn_summary_read(input->bytes, input->length, error, sizeof(error));
    struct subject subject = {.summary = summary};

    if (!summary)
        return darn_refuse("report", "%s", error);
    subject.pid = summary->pid;
    if (options->json[0] && summary->item_count)
        warn_json(options, darn_counts_update(options->json, summary));
    if (!options->all)
        darn_summary_fold(summary);
    print_text(options, &subject);
    darn_summary_free(summary);
    return 0;
}

/* Whose trace it is: our parent is not the program itself. */
static int64_t pid_of(const char *path)
{
    char error[512];
    struct darn_trace *trace = darn_trace_open(path, true, error, sizeof(error));
    int64_t pid = trace ? darn_trace_about(trace).pid : 0;

    darn_trace_close(trace);
    return pid;
}

/* What is on stdin becomes a file without a name, for whom no directory is needed. 0, with a path
 * to it, or an exit status. */
static int keep_input(char *path, size_t size)
{
    int fd = memfd_create("darn-locks", MFD_CLOEXEC);
    char piece[65536];
    ssize_t got = 0;
    bool failed = fd < 0;

    while (!failed &&
           ((got = read(STDIN_FILENO, piece, sizeof(piece))) > 0 || (got < 0 && errno == EINTR)))
        failed = got > 0 && darn_sink_write(fd, piece, (size_t)got);
    if (failed || got < 0)
        return darn_refuse("report", "the trace cannot be kept: %s", strerror(errno));
    snprintf(path, size, "/proc/self/fd/%d", fd);
    return 0;
}

/* Locks that were taken in different orders: what could have happened in the run. Its status tells
 * the runtime whether there was anything. */
static int report_locks(const struct darn_options *options)
{
    struct text text = {NULL, 0};
    struct darn_analyze_line line = {
        .command = "report",
        .wanted =
            {
                .engines = "deadlock",
                .suppressions = options->suppressions,
                .prefix = true,
            },
        .json = options->json,
        .strip_path_prefix = options->strip_path_prefix,
        .quiet = true,
        .all = options->all,
        .out = open_memstream(&text.bytes, &text.length),
    };
    char path[64], *paths[] = {path};
    int fd, status = keep_input(path, sizeof(path));

    if (status)
        return status;
    if (!line.out)
        return darn_refuse("report", "out of memory");
    fd = darn_sink_open(options->log_path, pid_of(path));
    line.color = darn_wants_color(options->color, fd) ? DARN_COLOR_ALWAYS : DARN_COLOR_NEVER;
    if (!is_empty_file(fd))
        fputc('\n', line.out);
    status = darn_analyze_traces(&line, paths, 1);
    fclose(line.out);
    if (status == DARN_EXIT_FINDINGS)
        write_log(options, fd, &text);
    free(text.bytes);
    return status;
}

/* The program that runs us: suppressions may lie beside it. */
static const char *parent_program(char *path, size_t size)
{
    char link[64];
    ssize_t length;

    snprintf(link, sizeof(link), "/proc/%ld/exe", (long)getppid());
    length = readlink(link, path, size - 1);
    path[length > 0 ? length : 0] = '\0';
    return path;
}

static int check_suppressions(const struct darn_options *options)
{
    struct darn_suppressions *suppressions;
    char error[1024], program[PATH_MAX];

    if (!options->suppressions[0])
        return 0;
    suppressions = darn_suppressions_read(
        options->suppressions, parent_program(program, sizeof(program)), error, sizeof(error));
    if (!suppressions)
        return darn_refuse("report", "suppressions: %s", error);
    darn_suppressions_free(suppressions);
    return 0;
}

static int check_outputs(const struct darn_options *options)
{
    const char *log = options->log_path;
    int result = options->json[0] ? darn_output_check(options->json) : 0;

    if (result)
        return darn_refuse_output("report", "json: ", options->json, result);
    if (log[0] && strcmp(log, "stderr") != 0 && strcmp(log, "stdout") != 0)
        result = darn_output_check_prefix(log);
    return darn_refuse_output("report", "log_path: ", log, result);
}

static int check(void)
{
    static struct darn_options options;
    const char *variable = getenv(DARN_OPTIONS_VARIABLE);
    char error[DARN_OPTIONS_ERROR];
    int status;

    darn_options_default(&options);
    if (variable && darn_options_parse(&options, variable, error, sizeof(error)))
        return darn_refuse("report", DARN_OPTIONS_VARIABLE ": %s", error);
    status = check_suppressions(&options);
    return status ? status : check_outputs(&options);
}

/* ---- the directory of a hunt ---- */

struct report_line {
    bool json, all;
    struct darn_style style;
    uint32_t color;
    bool summary, locks, check; /* what a program asks for */
};

#define AT(field) offsetof(struct report_line, field)

static const struct darn_option options[] = {
    {.name = "json",
     .type = DARN_OPTION_FLAG,
     .offset = AT(json),
     .help = "print JSON Lines: one object for each finding"},
    DARN_ROW_ALL(AT(all)),
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

static bool is_hunt(const char *directory)
{
    char path[PATH_MAX + 16];

    snprintf(path, sizeof(path), "%s/state.json", directory);
    return access(path, F_OK) == 0;
}

static int print_index(const struct report_line *line, const char *directory)
{
    struct darn_index_wanted wanted = {.name = directory, .all = line->all};
    struct darn_index index;
    int status = darn_index_open(&index, darn_speaker("report"), directory);
    size_t proofs;

    if (status)
        return status;
    proofs = darn_index_proofs(&index);
    darn_index_group(&index);
    if (line->json)
        darn_index_print_json(&index, stdout);
    else
        darn_index_print(&index, &wanted, stdout, &line->style);
    darn_index_close(&index);
    status = darn_finish_output();
    return status ? status : proofs ? DARN_EXIT_FINDINGS : 0;
}

static int report_directory(struct report_line *wanted, const struct darn_command_line *line)
{
    if (line->count != 1)
        return darn_refuse("report",
                           "one directory is needed; usage: darn report [options] DIRECTORY");
    if (!is_hunt(line->words[0]))
        return darn_refuse("report", "%s is not the directory of a hunt", line->words[0]);
    wanted->style.color = darn_wants_color(wanted->color, STDOUT_FILENO);
    return print_index(wanted, line->words[0]);
}

/* ---- what a program has found ---- */

static int report_input(const struct report_line *wanted)
{
    static struct darn_options own;
    struct text input = {NULL, 0};
    int status;

    if (isatty(STDIN_FILENO))
        return darn_refuse("report", "this command is run by programs that darn compiled; see "
                                     "docs/raw-finding-format.md");
    read_options(&own);
    if (wanted->locks)
        return report_locks(&own);
    status = read_input(&input);
    if (!status)
        status = wanted->summary ? report_summary(&own, &input) : report_finding(&own, &input);
    free(input.bytes);
    return status;
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
        return check();
    if (argc > 1 && !wanted.summary && !wanted.locks)
        return report_directory(&wanted, &line);
    return report_input(&wanted);
}

const struct darn_command darn_command_report = {
    .name = "report",
    .summary = "print what is in the directory of a hunt: darn report DIRECTORY",
    .usage = "report [options] DIRECTORY",
    .about = "Prints what a hunt has found, from the directory that it left. The exit status\n"
             "is 66 when something was confirmed.\n",
    .groups = groups,
    .operands = "DIR",
    .exits = "0 nothing was confirmed\n"
             "66 something was confirmed",
    .see = "darn-hunt(1), darn-replay(1)",
    .run = cmd_report,
};
