/*
 * A command line that is read by the table of its options, the same that help prints.
 */
#ifndef DARN_CLI_LINE_H
#define DARN_CLI_LINE_H

#include <stdint.h>

#include "cli/say.h"

/* One option of the table was read; `value` is NULL for one that has none. 0 or an exit status,
 * after one line on stderr. */
typedef int darn_line_set(void *to, int option, const char *value);

/* Reads the options at the beginning of the line: --name, --name=value, --name value, and -o value
 * for a name of one letter. A name in the table that ends with [=WHAT] may have a value after `=`.
 * 0, with *rest the index of the first word after the options and after `--`; or an exit status. */
int darn_line_read(const char *command, const struct darn_cli_option *table, int argc, char **argv,
                   darn_line_set *set, void *to, int *rest);

/* The value of a number option. 0 or an exit status. */
int darn_line_number(const char *command, const char *name, const char *value, uint64_t min,
                     uint64_t max, uint64_t *number);

/* Seconds, with a fraction if need be, as milliseconds. 0 or an exit status. */
int darn_line_seconds(const char *command, const char *name, const char *value, uint32_t *ms);

#endif
