/*
 * What the runtime found, on stdin, becomes what people and tools read: the part of `darn report`
 * that programs run. They wait for it: whatever goes wrong here, the finding is still printed as
 * well as can be.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/options.h"
#include "cli/analyze.h"
#include "cli/report/report_raw.h"
#include "cli/say.h"
#include "driver/process/output.h"
#include "report/cause.h"
#include "report/counts.h"
#include "report/export/sarif.h"
#include "report/report_format.h"
#include "report/report_kinds.h"
#include "report/sink.h"
#include "report/suppress.h"
#include "report/symbol/resolve.h"
#include "report/text/color.h"
#include "trace/trace.h"

#define EXIT_SUPPRESSED 3
#define MOST_INPUT      (64u << 20)

/* A text that grows. */
struct text {
    char *bytes;
    size_t length;
};

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
    bool blank = !subject->is_variant && !is_empty_file(fd);
    struct text text = render(darn_format_find("text"), subject, &style, blank);

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

static void put_sarif(const struct darn_options *options, const struct darn_finding *finding)
{
    if (options->sarif[0])
        darn_lose_sarif("report", options->sarif,
                        darn_sarif_put(options->sarif, finding, options->strip_path_prefix));
}

/* One that cannot be read knows nothing. */
static bool is_known(const struct darn_options *options, const struct darn_finding *finding)
{
    struct darn_collection baseline = {0};
    char error[1024];
    bool known = false;

    if (!options->baseline[0])
        return false;
    if (darn_collection_read(&baseline, options->baseline, error, sizeof(error)))
        darn_warn("report", "baseline: %s", error);
    else
        known = darn_collection_has(&baseline, finding);
    darn_collection_free(&baseline);
    return known;
}

/* For tools: what a baseline has is there, too. */
static void report_to_tools(const struct darn_options *options, const struct subject *subject)
{
    if (subject->finding->was_predicted)
        settle_json(options, subject->finding);
    else
        append_json(options, subject);
    put_sarif(options, subject->finding);
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
        if (!is_known(options, finding)) {
            subject.is_variant = finding->variant_of && !options->all;
            print_text(options, &subject);
            subject.is_variant = false;
            status = 0;
        }
        report_to_tools(options, &subject);
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
        .sarif = options->sarif,
        .baseline = options->baseline,
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

static bool is_denied(int result)
{
    return result == -EACCES || result == -EPERM || result == -EROFS;
}

/*
 * A wrong name ends the program before it has done anything. But who may not touch the file is
 * another user than who has chosen the options, or in a sandbox: it has been told, and goes on.
 */
static int unless_denied_reading(int status, const char *path)
{
    return status && access(path, R_OK) && is_denied(-errno) ? 0 : status;
}

static int unless_denied_writing(int status, const char *path)
{
    bool denied = is_denied(darn_output_check(path)) || is_denied(darn_output_check_prefix(path));

    return status && denied ? 0 : status;
}

static int check_log(const char *log)
{
    int result;

    if (!log[0] || strcmp(log, "stderr") == 0 || strcmp(log, "stdout") == 0)
        return 0;
    result = darn_output_check_prefix(log);
    return unless_denied_writing(darn_refuse_output("report", "log_path: ", log, result), log);
}

static int check_json(const char *json)
{
    int result = json[0] ? darn_output_check(json) : 0;

    if (!result && strcmp(json, "-") == 0)
        return darn_refuse("report", "json=-: stdout is the program's own; name a file");
    return unless_denied_writing(darn_refuse_output("report", "json: ", json, result), json);
}

static int check_files(const struct darn_options *options)
{
    const char *sarif = options->sarif, *baseline = options->baseline;
    int status = unless_denied_reading(check_suppressions(options), options->suppressions);

    if (!status)
        status = check_json(options->json);
    if (!status)
        status = unless_denied_writing(
            darn_begin_sarif("report", sarif, options->strip_path_prefix), sarif);
    if (!status)
        status = unless_denied_reading(darn_check_baseline("report", baseline), baseline);
    return status ? status : check_log(options->log_path);
}

int darn_report_check(void)
{
    static struct darn_options options;
    const char *variable = getenv(DARN_OPTIONS_VARIABLE);
    char error[DARN_OPTIONS_ERROR];

    darn_options_default(&options);
    if (variable && darn_options_parse(&options, variable, error, sizeof(error)))
        return darn_refuse("report", DARN_OPTIONS_VARIABLE ": %s", error);
    return check_files(&options);
}

int darn_report_input(bool summary, bool locks)
{
    static struct darn_options own;
    struct text input = {NULL, 0};
    int status;

    if (isatty(STDIN_FILENO))
        return darn_refuse("report", "this command is run by programs that darn compiled; see "
                                     "docs/raw-finding-format.md");
    read_options(&own);
    if (locks)
        return report_locks(&own);
    status = read_input(&input);
    if (!status)
        status = summary ? report_summary(&own, &input) : report_finding(&own, &input);
    free(input.bytes);
    return status;
}
