/*
 * What commands say to the user.
 */
#ifndef DARN_CLI_SAY_H
#define DARN_CLI_SAY_H

#include "base/options_print.h"

/* Prints the one line "darn COMMAND: …" on stderr and returns the exit status for wrong use.
 * Characters that would break the line are shown as '?'. */
__attribute__((format(printf, 2, 3))) int darn_refuse(const char *command, const char *format, ...);

/* Prints "darn COMMAND: warning: …". */
__attribute__((format(printf, 2, 3))) void darn_warn(const char *command, const char *format, ...);

/* The same for something that the user asked for and does not get: the exit status of the command
 * is not 0 then. */
__attribute__((format(printf, 2, 3))) void darn_lost(const char *command, const char *format, ...);

/* Before the first line on stderr, and after the last: the exit status, which is 1 instead of 0
 * when something was lost, output included. */
void darn_begin_errors(void);
int darn_end_errors(int status);

/* One option that only the command line has. */
struct darn_cli_option {
    const char *name;  /* with its dashes */
    const char *value; /* "FILE", or NULL when it takes none */
    const char *help;  /* lines separated by \n */
};

/* Prints options as darn_options_help does, on stdout. The table ends with a name that is NULL. */
void darn_print_options(const struct darn_cli_option *table);

/* A darn_options_write to a FILE. */
void darn_write_file(void *file, const char *text, size_t length);

/* After the last output on stdout: 0, or 1 when there is a line on stderr that it could not be
 * written, or that it lacks what a file would have told (report/unread.h). */
int darn_finish_output(void);

#endif
