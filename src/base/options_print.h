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

enum darn_options_style {
    DARN_STYLE_VARIABLE, /* name=VALUE, as in DARN_OPTIONS */
    DARN_STYLE_COMMAND,  /* --na-me=VALUE, as on the command line */
};

typedef void darn_options_write(void *to, const char *text, size_t length);

/* Writes the table, one option after the other. */
void darn_options_help(enum darn_options_style style, darn_options_write *write, void *to);

/* Writes the options that differ from their defaults, so that darn_options_parse reads them back.
 * 0, or -EINVAL with one line in `error`: a value that contains both kinds of quotes cannot be
 * written, nor one that does not fit. */
int darn_options_format(const struct darn_options *options, char *to, size_t size, char *error,
                        size_t error_size);

#endif
