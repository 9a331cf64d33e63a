/*
 * Options as text: the help, and the DARN_OPTIONS that would set them again.
 *
 * Lives in the program under test as well: no allocation, no stdio, no locale.
 */
#ifndef DARN_BASE_OPTIONS_PRINT_H
#define DARN_BASE_OPTIONS_PRINT_H

#include "base/options.h"

/* Holds what darn_options_format writes for every possible value. */
#define DARN_OPTIONS_TEXT (64 * 1024)

/* Where the help texts begin in a line, and where a line ends at the latest. */
#define DARN_OPTIONS_COLUMN 24
#define DARN_OPTIONS_WIDTH  80

typedef void darn_options_write(void *to, const char *text, size_t length);

/* Writes a table, one option after the other, with its default. */
void darn_options_help(const struct darn_option *table, enum darn_options_style style,
                       darn_options_write *write, void *to);

/* "--window-us=N", "--halt-on-error[=0|1]", "-o FILE". */
void darn_option_usage(struct darn_text *text, const struct darn_option *option,
                       enum darn_options_style style);

/* Writes the options of a run that differ from their defaults, so that darn_options_parse reads
 * them back. 0, or -EINVAL with one line in `error`: a value that contains both kinds of quotes
 * cannot be written, nor one that does not fit. */
int darn_options_format(const struct darn_options *options, char *to, size_t size, char *error,
                        size_t error_size);

#endif
