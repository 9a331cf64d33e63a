/*
 * darn sections shared: of a repository, the sections whose variable threads really share, in a
 * way that the section does not allow, as recorded runs show it.
 */
#include <inttypes.h>
#include <string.h>

#include "cli/sections_line.h"
#include "driver/section/sharing.h"

#define COMMAND "sections shared"

/* The line. */
struct shared_line {
    const char *output; /* NULL: stdout */
};

#define AT(field) offsetof(struct shared_line, field)

static const struct darn_option options[] = {
    DARN_ROW_REPOSITORY(AT(output)),
    DARN_ROW_HELP,
    {.name = NULL},
};

#undef AT

static const struct darn_option_group groups[] = {{.options = options}, {.options = NULL}};

/* 0 or an exit status. */
static int write_out(struct darn_sharing *sharing, const char *output)
{
    size_t left = darn_sharing_choose(sharing), all = sharing->count;
    int result = darn_sections_write(output, sharing->sections);

    if (result && strcmp(output, "-") != 0)
        return darn_refuse_output(COMMAND, "", output, result);
    fprintf(stderr, "darn sections: %zu of %zu section%s %s that threads share\n", left, all,
            all == 1 ? "" : "s", left == 1 ? "is of a variable" : "are of variables");
    return darn_finish_output();
}

/* What can be refused before a trace is read. 0 or an exit status. */
static int load(const char *path, const char *output, struct darn_sections *sections)
{
    uint32_t errors = 0;
    int status = darn_sections_check_output(COMMAND, output);

    if (status)
        return status;
    status = darn_section_file_load(darn_speaker(COMMAND), path, sections, &errors);
    if (status)
        return status;
    /* The rest would be written, and what could not be read would be lost. */
    if (errors && output && strcmp(output, path) == 0)
        return darn_refuse(COMMAND,
                           "%s has %" PRIu32 " fault%s; mend it, or have the rest written to "
                           "another file with -o",
                           output, errors, errors == 1 ? "" : "s");
    if (errors && !sections->count)
        return darn_refuse(COMMAND, "%s: nothing of it can be used", path);
    return 0;
}

static int keep_shared(int argc, char **argv)
{
    struct shared_line wanted = {.output = NULL};
    struct darn_command_line line = {.command = &darn_sections_shared, .to = &wanted};
    struct darn_sections sections = {0};
    struct darn_sharing sharing = {.listener = darn_speaker(COMMAND), .sections = &sections};
    int status;

    if (!darn_line_read(&line, argc, argv, &status))
        return status;
    if (line.count < 2)
        return darn_refuse(COMMAND, "%s; usage: darn sections shared [options] FILE TRACE...",
                           line.count ? "no trace" : "no file of sections");
    sharing.path = line.words[0];
    status = load(sharing.path, wanted.output, &sections);
    if (!status)
        darn_sharing_begin(&sharing);
    for (int i = 1; i < line.count && !status; i++)
        status = darn_sharing_read(&sharing, line.words[i]);
    if (!status)
        status = write_out(&sharing, wanted.output ? wanted.output : "-");
    darn_sharing_end(&sharing);
    darn_sections_free(&sections);
    return status;
}

const struct darn_command darn_sections_shared = {
    .name = COMMAND,
    .summary = "take out what no two threads share in recorded runs",
    .usage = "sections shared [options] FILE TRACE...",
    .about = "Writes those sections of the repository FILE whose variable threads share in one\n"
             "of the traces (darn record): two threads access it, one of them writes, and\n"
             "nothing puts the two in order, or a lock that both hold. What one thread hands\n"
             "over to the next, by a queue, a start or a join, is not shared. Nor does count\n"
             "what the section allows, such as reads of what one thread alone writes.\n",
    .groups = groups,
    .operands = "FILE",
    .anywhere = true,
    .exits = "0 the sections are written",
    .see = "darn-sections(1), darn-sections-infer(1), darn-record(1)",
    .run = keep_shared,
};
