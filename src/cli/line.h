/*
 * A command line that is read by the tables of its command, the same that help prints.
 */
#ifndef DARN_CLI_LINE_H
#define DARN_CLI_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/command.h"
#include "cli/say.h"

/* A line that is being read. */
struct darn_command_line {
    const struct darn_command *command;
    void *to;       /* the struct of the command */
    char **words;   /* what is left when the options have been read; ends with NULL */
    int count;      /* of these */
    bool help;      /* was asked for */
    uint64_t given; /* by number of the option: those that the line has */
};

/* Gives every option its default. */
void darn_line_default(struct darn_command_line *line);

/* Reads the line: --name, --name=value, --name value, and -o value for a name of one letter. A
 * value that may be left out comes after '=' only, as that of a bool does. The options end at `--`;
 * and at the first other word, unless they may stand anywhere: the other words are moved together
 * in argv then. True: the command is to go on. False: *status is its exit status, after help was
 * printed, or one line on stderr. */
bool darn_line_take(struct darn_command_line *line, int argc, char **argv, int *status);

/* Both. */
bool darn_line_read(struct darn_command_line *line, int argc, char **argv, int *status);

/* Reads the option argv[*at], whose value may be the word after it. 0 or an exit status. */
int darn_line_option(struct darn_command_line *line, int *at, int argc, char **argv);

/* Rows that several commands have; `at` is where the option goes. */

#define DARN_ROW_HELP                                                                              \
    {                                                                                              \
        .name = "help", .type = DARN_OPTION_HELP, .help = "print this list"                        \
    }

/* The most schedules, or steps of one. */
#define DARN_MOST_STEPS UINT64_C(1000000000000)

#define DARN_ROW_ALL(at)                                                                           \
    {                                                                                              \
        .name = "all", .type = DARN_OPTION_FLAG, .offset = (at),                                   \
        .help = "print at length also what has the same cause as another\n"                        \
                "finding: a side, a variable or two locks in common"                               \
    }

#define DARN_ROW_COLOR(at)                                                                         \
    {                                                                                              \
        .name = "color", .type = DARN_OPTION_CHOICE, .offset = at, .value = "auto|always|never",   \
        .help = "colour in reports; auto: on a terminal"                                           \
    }

#define DARN_ROW_STRIP(at)                                                                         \
    {                                                                                              \
        .name = "strip-path-prefix", .type = DARN_OPTION_STRING, .offset = at, .value = "PREFIX",  \
        .help = "leave PREFIX out of the file names in reports"                                    \
    }

/* Those of controlled runs. In a command that makes such runs only for one of its options, each
 * says so first (`when`), and needs that option (`with`, NULL). */
#define DARN_ROW_JOBS_FOR(when, with, at)                                                          \
    {                                                                                              \
        .name = "jobs", .type = DARN_OPTION_JOBS, .offset = at, .min = 1, .max = 256,              \
        .value = "N", .needs = with,                                                               \
        .help = when "run N at a time; 1 if they write the same files"                      \
    }

#define DARN_ROW_SEED_FOR(when, with, at, what, most, was_given)                                   \
    {                                                                                              \
        .name = "seed", .type = DARN_OPTION_WIDE, .offset = at, .given = was_given,                \
        .initial = "1", .min = 1, .max = most, .value = "N", .needs = with,                         \
        .help = when "another seed, other " what                                                   \
    }

#define DARN_ROW_TIMEOUT_FOR(when, with, at, was_given)                                            \
    {                                                                                              \
        .name = "timeout", .type = DARN_OPTION_SECONDS, .offset = at, .given = was_given,          \
        .initial = "10", .value = "S", .needs = with,                                              \
        .help = when "cut a run off that takes longer than S seconds"                              \
    }

#define DARN_ROW_MAX_STEPS_FOR(when, with, at, was_given)                                          \
    {                                                                                              \
        .name = "max-steps", .type = DARN_OPTION_WIDE, .offset = at, .given = was_given,           \
        .initial = "100000", .min = 1, .max = DARN_MOST_STEPS, .value = "N", .needs = with,        \
        .help = when "cut a run off that makes more than N steps"                                  \
    }

/* Of noise: the file of a repository has it as a signed number, and more are counted from it. */
#define DARN_ROW_NOISE_SEED(at, was_given)                                                         \
    DARN_ROW_SEED_FOR("", NULL, at, "noise", UINT64_C(1) << 62, was_given)

#define DARN_ROW_SEED(at)                  DARN_ROW_SEED_FOR("", NULL, at, "schedules", UINT64_MAX, 0)
#define DARN_ROW_JOBS(at)                  DARN_ROW_JOBS_FOR("", NULL, at)
#define DARN_ROW_TIMEOUT(at, was_given)    DARN_ROW_TIMEOUT_FOR("", NULL, at, was_given)
#define DARN_ROW_MAX_STEPS(at, was_given)  DARN_ROW_MAX_STEPS_FOR("", NULL, at, was_given)

#define DARN_ROW_EARLY(at)                                                                         \
    {                                                                                              \
        .name = "early-timeouts", .type = DARN_OPTION_FLAG, .offset = at,                          \
        .help = "a wait may time out while other threads can go on; else\n"                        \
                "only when none can"                                                               \
    }

#define DARN_ROW_ORACLE(at, otherwise)                                                             \
    {                                                                                              \
        .name = "oracle", .type = DARN_OPTION_STRING, .offset = at, .value = "CMD",                \
        .help = "a shell command that says whether a run was right: it\n"                          \
                "gets the output on stdin, DARN_STATUS, and fails if\n"                            \
                "not" otherwise                                                                    \
    }

#define DARN_ROW_RESET(at)                                                                         \
    {                                                                                              \
        .name = "reset", .type = DARN_OPTION_STRING, .offset = at, .value = "CMD",                 \
        .help = "a shell command before each run, to remove its traces"                            \
    }

/* A command beside each run, and the signal after it: the index in darn_stop_signals. */
#define DARN_ROW_WITH(at)                                                                          \
    {                                                                                              \
        .name = "with", .type = DARN_OPTION_STRING, .offset = at, .value = "CMD",                  \
        .help = "a shell command that is run beside each run, once the\n"                          \
                "program waits for somebody: the client of a server"                               \
    }

#define DARN_ROW_STOP(at)                                                                          \
    {                                                                                              \
        .name = "stop", .type = DARN_OPTION_CHOICE, .offset = at, .value = "SIGNAL",               \
        .words = "TERM|INT|HUP|QUIT|USR1|USR2|KILL", .needs = "with",                              \
        .help = "the signal that ends the program when the command of\n"                           \
                "--with has ended: TERM (the default), INT, HUP, QUIT,\n"                          \
                "USR1, USR2, KILL"                                                                 \
    }

extern const int darn_stop_signals[];

/* driver/play/shown.h */
#define DARN_ROW_HTML(at)                                                                          \
    {                                                                                              \
        .name = "html", .type = DARN_OPTION_STRING, .offset = at, .value = "FILE",                 \
        .help = "write a page for a browser to FILE: the findings,\n"                              \
                "their sources, and each schedule as a picture"                                    \
    }

#define DARN_ROW_PERFETTO(at)                                                                      \
    {                                                                                              \
        .name = "perfetto", .type = DARN_OPTION_STRING, .offset = at, .value = "FILE",             \
        .help = "write the schedule of one finding, DIRECTORY/1, to\n"                             \
                "FILE, for ui.perfetto.dev and chrome://tracing"                                   \
    }

#define DARN_ROW_INPUT(at)                                                                         \
    {                                                                                              \
        .name = "input", .type = DARN_OPTION_STRING, .offset = at, .value = "FILE",                \
        .help = "the standard input of each run (default: our own)"                                \
    }

#endif
