/*
 * darn trace stat, dump, export-std, export-perfetto.
 */
#include "cli/trace_line.h"

#include <stdio.h>
#include <string.h>

#include "cli/line.h"
#include "driver/analysis/gaps.h"
#include "trace/perfetto_events.h"
#include "trace/std_write.h"

#define USAGE "darn trace stat|dump|export-std|export-perfetto [options] TRACE"

struct line {
    const char *what, *path;
    bool prefix, json;
};

static const struct darn_option options[] = {
    {.name = "prefix",
     .type = DARN_OPTION_FLAG,
     .offset = offsetof(struct line, prefix),
     .help = "of a damaged trace, read what comes before the\n"
             "damage, instead of refusing it"},
    {.name = "json",
     .type = DARN_OPTION_FLAG,
     .offset = offsetof(struct line, json),
     .help = "stat: print one JSON object"},
    DARN_ROW_HELP,
    {.name = NULL},
};

static const struct darn_option_group groups[] = {{.options = options}, {.options = NULL}};

static int check_line(const struct line *line)
{
    if (!line->what)
        return darn_refuse("trace", "nothing to do; usage: " USAGE);
    if (strcmp(line->what, "stat") != 0 && strcmp(line->what, "dump") != 0 &&
        strcmp(line->what, "export-std") != 0 && strcmp(line->what, "export-perfetto") != 0)
        return darn_refuse("trace", "'%s' is none of stat, dump, export-std and export-perfetto",
                           line->what);
    if (!line->path)
        return darn_refuse("trace", "no trace; usage: " USAGE);
    if (line->json && strcmp(line->what, "stat") != 0)
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
        result = darn_trace_stat(trace, line->path, line->json);
    else if (strcmp(line->what, "dump") == 0)
        result = darn_trace_dump(trace);
    else if (strcmp(line->what, "export-std") == 0)
        result = export_std(trace);
    else
        result = darn_trace_perfetto(trace, stdout);
    if (result < 0) {
        fflush(stdout); /* what comes before stands before the message */
        return refuse_damage(darn_trace_error(trace));
    }
    result = darn_finish_output();
    if (strcmp(line->what, "stat") != 0)
        darn_warn_of_gaps(darn_speaker("trace"), line->path, trace);
    return result;
}

static int cmd_trace(int argc, char **argv)
{
    struct line wanted = {.what = NULL};
    struct darn_command_line line = {.command = &darn_command_trace, .to = &wanted};
    char error[1024];
    struct darn_trace *trace;
    int status;

    if (!darn_line_read(&line, argc, argv, &status))
        return status;
    wanted.what = line.words[0];
    wanted.path = line.count > 1 ? line.words[1] : NULL;
    status = check_line(&wanted);
    if (status)
        return status;
    trace = darn_trace_open(wanted.path, wanted.prefix, error, sizeof(error));
    if (!trace)
        return has_prefix(wanted.path) ? refuse_damage(error) : darn_refuse("trace", "%s", error);
    status = run(&wanted, trace);
    darn_trace_close(trace);
    return status;
}

const struct darn_command darn_command_trace = {
    .name = "trace",
    .summary = "say what is in a trace, or export it",
    .usage = "trace stat|dump|export-std|export-perfetto [options] TRACE",
    .about = "  stat              what is in the trace: threads, events, sites, what was lost\n"
             "  dump              every event in a line, for people\n"
             "  export-std        every event in the STD text form: T1|acq(L)|12\n"
             "  export-perfetto   tracks for ui.perfetto.dev and chrome://tracing, as JSON\n"
             "\n"
             "A trace is a file that darn record wrote, or a text in the STD form.\n",
    .groups = groups,
    .operands = "stat|dump|export-std|export-perfetto FILE",
    .most = 2,
    .anywhere = true,
    .exits = "0 it was printed",
    .see = "darn-record(1), darn-analyze(1)",
    .run = cmd_trace,
};
