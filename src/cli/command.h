/*
 * What a command is: its line, its page and its entry function, in one struct that the file of the
 * command defines. The line is read (line.h), the help printed, and the manual page and the
 * completion of the shell made (page.h) from the same tables.
 */
#ifndef DARN_CLI_COMMAND_H
#define DARN_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/options.h"

/* Options of a command that one struct takes. */
struct darn_option_group {
    const char *heading;               /* "Environment:"; NULL: none */
    const struct darn_option *options; /* ends with a name that is NULL */
    size_t base;                       /* where that struct lies in the one of the command */
    const char *only; /* "noise|seed": of another command's table these; help names them, no more.
                         NULL: all of them */
    bool environment; /* variables of the environment: not of the line */
};

struct darn_command {
    const char *name;                        /* "replay"; "sections infer" */
    const char *summary;                     /* what it does, in half a line */
    const char *usage;                       /* lines, each without "darn " before it */
    const char *about;                       /* lines, 80 columns at most */
    const struct darn_option_group *groups;  /* ends with options that are NULL */
    const struct darn_command *const *parts; /* commands whose names begin with this one's, as those
                                                of sections; ends with NULL. NULL: none */
    const char *operands; /* what comes after the options, as values are named: "FILE PROGRAM"; of
                             the last there may be more */
    int most;             /* operands; 0: any number */
    bool anywhere;        /* options may also stand after operands */
    bool guarded;         /* it starts programs and waits for them */
    const char *exits;    /* "66 there are findings": lines of a status and what it says */
    const char *see;      /* other pages: "darn-replay(1), darn-shrink(1)" */
    int (*run)(int argc, char **argv); /* argv[0] is the name. Returns the exit status */
};

/* The commands, in the order of the help; the list ends with NULL. */
extern const struct darn_command *const darn_commands[];

extern const struct darn_command darn_command_cc;
extern const struct darn_command darn_command_cxx;
extern const struct darn_command darn_command_run;
extern const struct darn_command darn_command_predict;
extern const struct darn_command darn_command_hunt;
extern const struct darn_command darn_command_replay;
extern const struct darn_command darn_command_shrink;
extern const struct darn_command darn_command_explore;
extern const struct darn_command darn_command_sections;
extern const struct darn_command darn_command_heal;
extern const struct darn_command darn_command_fix;
extern const struct darn_command darn_command_record;
extern const struct darn_command darn_command_analyze;
extern const struct darn_command darn_command_trace;
extern const struct darn_command darn_command_help;
extern const struct darn_command darn_command_report;
extern const struct darn_command darn_command_campaign;
extern const struct darn_command darn_command_coverage;

/* NULL when there is none. */
const struct darn_command *darn_command_find(const char *name);

/* The name of a command that may have been meant; NULL: none is near. */
const char *darn_command_near(const char *word);

/* An option that the line of a command may have. */
struct darn_command_option {
    const struct darn_option *option; /* NULL: there is no other */
    const struct darn_option_group *group;
    unsigned number; /* from 0 on */
};

/* for (each = darn_first_option(command); each.option; darn_next_option(&each)) */
struct darn_command_option darn_first_option(const struct darn_command *command);
void darn_next_option(struct darn_command_option *each);

#endif
