#include "cli/say.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "driver/explore/explored.h"
#include "report/cause.h"
#include "report/export/sarif.h"
#include "report/report_format.h"
#include "report/sink.h"
#include "report/unread.h"

static atomic_bool lost;
static bool has_progress; /* a line of it stands on the terminal */

void darn_clear_progress(void)
{
    if (has_progress)
        fputs("\r\033[K", stderr);
    has_progress = false;
}

/* What would break the line, or command the terminal, is shown as '?'. */
static void make_plain(char *line)
{
    for (char *c = line; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
}

/* One write: lines of programs that run side by side do not mix. */
static void print_line(const char *command, const char *kind, const char *line)
{
    darn_clear_progress();
    fprintf(stderr, "darn%s%s: %s%s\n", *command ? " " : "", command, kind, line);
}

static void say(const char *command, const char *kind, const char *format, va_list arguments)
{
    char line[2048];

    vsnprintf(line, sizeof(line), format, arguments);
    make_plain(line);
    print_line(command, kind, line);
}

int darn_refuse(const char *command, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say(command, "", format, arguments);
    va_end(arguments);
    return DARN_EXIT_USAGE;
}

void darn_warn(const char *command, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say(command, "warning: ", format, arguments);
    va_end(arguments);
}

void darn_lost(const char *command, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say(command, "warning: ", format, arguments);
    va_end(arguments);
    atomic_store(&lost, true);
}

int darn_refuse_output(const char *command, const char *what, const char *path, int result)
{
    return result
               ? darn_refuse(command, "%s%s cannot be written: %s", what, path, strerror(-result))
               : 0;
}

int darn_append_json(const char *command, const char *file, const char *text, size_t length)
{
    int result;

    if (strcmp(file, "-") == 0) {
        fwrite(text, 1, length, stdout);
        return darn_finish_output();
    }
    result = darn_sink_append(file, text, length);
    if (result)
        darn_lost(command, "json: %s cannot be written: %s", file, strerror(-result));
    return result ? 1 : 0;
}

static const char *why_no_sarif(int result)
{
    return result == -EINVAL ? "it is there, and is no SARIF file of darn" : strerror(-result);
}

int darn_begin_sarif(const char *command, const char *file, const char *strip)
{
    int result = file && *file ? darn_sarif_begin(file, strip) : 0;

    return result
               ? darn_refuse(command, "sarif: %s cannot be written: %s", file, why_no_sarif(result))
               : 0;
}

int darn_lose_sarif(const char *command, const char *file, int result)
{
    if (result)
        darn_lost(command, "sarif: %s cannot be written: %s", file, why_no_sarif(result));
    return result ? 1 : 0;
}

int darn_check_baseline(const char *command, const char *file)
{
    struct darn_collection baseline = {0};
    char error[1024];
    int result = file && *file ? darn_collection_read(&baseline, file, error, sizeof(error)) : 0;

    darn_collection_free(&baseline);
    return result ? darn_refuse(command, "baseline: %s", error) : 0;
}

/* ---- what the driver says ---- */

struct speaker {
    struct darn_listener listener;
    const char *command;
    struct darn_style style;
};

static void show_progress(const char *command, const char *line)
{
    if (!*line)
        darn_clear_progress();
    if (!*line || !isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r\033[Kdarn %s: %s", command, line);
    fflush(stderr);
    has_progress = true;
}

static void speak(struct darn_listener *listener, enum darn_news news, const char *text)
{
    const char *command = ((struct speaker *)listener)->command;
    char line[2048 + PATH_MAX];

    snprintf(line, sizeof(line), "%s", text);
    make_plain(line);
    if (news == DARN_NEWS_PROGRESS) {
        show_progress(command, line);
    } else if (news == DARN_NEWS_FAULT) {
        darn_clear_progress();
        fprintf(stderr, "%s\n", line);
    } else {
        print_line(command, news == DARN_NEWS_WARNING || news == DARN_NEWS_LOSS ? "warning: " : "",
                   line);
    }
    if (news == DARN_NEWS_LOSS)
        atomic_store(&lost, true);
}

static void pass_output(struct darn_listener *listener, const char *bytes, size_t length)
{
    (void)listener;
    fwrite(bytes, 1, length, stdout);
    fflush(stdout);
}

static void print_headline(const char *command, const struct darn_explored *explored)
{
    if (!*explored->ending) {
        fprintf(stderr, "darn %s: schedule %" PRIu64 ": two threads met\n", command,
                explored->schedule);
        return;
    }
    if (explored->schedule)
        fprintf(stderr, "darn %s: schedule %" PRIu64 " fails: ", command, explored->schedule);
    else /* one that was followed */
        fprintf(stderr, "darn %s: it fails: ", command);
    for (const char *c = explored->ending; *c; c++)
        fputc((unsigned char)*c < ' ' || *c == 127 ? '?' : *c, stderr);
    fputc('\n', stderr);
}

static void print_variant(const struct speaker *speaker, const struct darn_explored *explored)
{
    fprintf(stderr, "darn %s: schedule %" PRIu64 " shows the same cause (%s): ", speaker->command,
            explored->schedule, explored->finding->kind);
    darn_cause_line(explored->finding, stderr, &speaker->style);
    fputc('\n', stderr);
}

static void print_explored(struct darn_listener *listener, const struct darn_explored *explored)
{
    const struct speaker *speaker = (const struct speaker *)listener;

    darn_clear_progress();
    if (explored->is_variant) {
        print_variant(speaker, explored);
        return;
    }
    print_headline(speaker->command, explored);
    darn_format_find("text")->finding(stderr, explored->finding, &speaker->style);
    if (*explored->story)
        fprintf(stderr, "\n%s", explored->story);
    if (explored->differs)
        fprintf(stderr,
                "darn %s: it did not happen again when the same schedule was followed: "
                "something outside of the threads differs from run to run; if that is the run "
                "beside it, --jobs=1 helps\n",
                speaker->command);
    fputc('\n', stderr);
}

static struct speaker speaker = {
    .listener = {.say = speak, .output = pass_output, .explored = print_explored}};

void darn_speaker_style(const struct darn_style *style)
{
    speaker.style = *style;
}

struct darn_listener *darn_speaker(const char *command)
{
    speaker.command = command;
    return &speaker.listener;
}

/* ---- output ---- */

void darn_write_file(void *file, const char *text, size_t length)
{
    fwrite(text, 1, length, file);
}

static bool is_output_lost(void)
{
    static bool told;

    if (fflush(stdout) == 0 && !ferror(stdout))
        return false;
    if (!told)
        fprintf(stderr, "darn: the output could not be written\n");
    told = true;
    return true;
}

int darn_finish_output(void)
{
    return is_output_lost() || darn_is_unread();
}

static bool is_open;

/* A report in many small pieces is one write for each line: it does not mix with what the program
 * under test prints, and costs less. */
void darn_begin_errors(void)
{
    static char buffer[BUFSIZ];

    is_open = fcntl(STDERR_FILENO, F_GETFD) >= 0;
    setvbuf(stderr, buffer, _IOLBF, sizeof(buffer));
}

int darn_end_errors(int status)
{
    bool output = is_output_lost(), errors = fflush(stderr) || ferror(stderr);

    if (status)
        return status;
    return output || (errors && is_open) || darn_is_unread() || atomic_load(&lost);
}
