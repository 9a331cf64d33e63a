/*
 * darn trace stat, dump, export-std.
 */
#include "cli/trace_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "driver/analysis/gaps.h"
#include "trace/std_write.h"

enum { PREFIX, JSON, HELP };

const struct darn_cli_option darn_trace_options[] = {
    [PREFIX] = {"--prefix", NULL,
                "of a damaged trace, read what comes before the\n"
                "damage, instead of refusing it"},
    [JSON] = {"--json", NULL, "stat: print one JSON object"},
    [HELP] = {"--help", NULL, "print this list"},
    {NULL, NULL, NULL},
};

#define USAGE "darn trace stat|dump|export-std [options] TRACE"

struct line {
    const char *what, *path;
    bool given[HELP + 1];
};

void darn_help_trace(void)
{
    printf("usage: " USAGE "\n"
           "\n"
           "  stat          what is in the trace: threads, events, sites, what was lost\n"
           "  dump          every event in a line, for people\n"
           "  export-std    every event in the STD text form of other tools: T1|acq(L)|12\n"
           "\n"
           "A trace is a file that darn record wrote, or a text in the STD form.\n"
           "\n");
    darn_print_options(darn_trace_options);
}

/* 0 or an exit status. */
static int read_option(struct line *line, const char *word)
{
    for (int i = 0; darn_trace_options[i].name; i++) {
        if (strcmp(darn_trace_options[i].name, word) == 0) {
            line->given[i] = true;
            return 0;
        }
    }
    return darn_refuse("trace", "there is no option %s; 'darn trace --help' lists them", word);
}

/* Options may stand anywhere before `--`. */
static int read_line(struct line *line, int argc, char **argv)
{
    bool only_words = false;
    int status = 0;

    for (int at = 1; at < argc && !status; at++) {
        if (!only_words && strcmp(argv[at], "--") == 0)
            only_words = true;
        else if (!only_words && argv[at][0] == '-' && argv[at][1])
            status = read_option(line, argv[at]);
        else if (!line->what)
            line->what = argv[at];
        else if (!line->path)
            line->path = argv[at];
        else
            status = darn_refuse("trace", "'%s' is too much; usage: " USAGE, argv[at]);
    }
    return status;
}

static int check_line(const struct line *line)
{
    if (!line->what)
        return darn_refuse("trace", "nothing to do; usage: " USAGE);
    if (strcmp(line->what, "stat") != 0 && strcmp(line->what, "dump") != 0 &&
        strcmp(line->what, "export-std") != 0)
        return darn_refuse("trace", "'%s' is none of stat, dump and export-std", line->what);
    if (!line->path)
        return darn_refuse("trace", "no trace; usage: " USAGE);
    if (line->given[JSON] && strcmp(line->what, "stat") != 0)
        return darn_refuse("trace", "--json is for stat only");
    return 0;
}

/* Whether --prefix would help. */
static bool has_prefix(const char *path)
{
    char error[8];
    struct darn_trace *trace = darn_trace_open(path, true, error, sizeof(error));
    bool opened = trace != NULL;

    darn_trace_close(trace);
    return opened;
}

static int refuse_damage(const char *message)
{
    return darn_refuse("trace", "%s (--prefix reads what comes before)", message);
}

static int export_std(struct darn_trace *trace)
{
    struct darn_event event;
    int result;

    while ((result = darn_trace_next(trace, &event)) > 0)
        darn_std_write_event(stdout, trace, &event);
    return result;
}

static int run(const struct line *line, struct darn_trace *trace)
{
    int result;

    if (strcmp(line->what, "stat") == 0)
        result = darn_trace_stat(trace, line->path, line->given[JSON]);
    else if (strcmp(line->what, "dump") == 0)
        result = darn_trace_dump(trace);
    else
        result = export_std(trace);
    if (result < 0) {
        fflush(stdout); /* what comes before stands before the message */
        return refuse_damage(darn_trace_error(trace));
    }
    result = darn_finish_output();
    if (strcmp(line->what, "stat") != 0)
        darn_warn_of_gaps("trace", line->path, trace);
    return result;
}

int darn_cmd_trace(int argc, char **argv)
{
    struct line line = {NULL, NULL, {false}};
    char error[1024];
    struct darn_trace *trace;
    int status = read_line(&line, argc, argv);

    if (status)
        return status;
    if (line.given[HELP]) {
        darn_help_trace();
        return darn_finish_output();
    }
    status = check_line(&line);
    if (status)
        return status;
    trace = darn_trace_open(line.path, line.given[PREFIX], error, sizeof(error));
    if (!trace)
        return has_prefix(line.path) ? refuse_damage(error) : darn_refuse("trace", "%s", error);
    status = run(&line, trace);
    darn_trace_close(trace);
    return status;
}
