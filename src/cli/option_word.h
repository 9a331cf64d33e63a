/*
 * The options of a command line that are written as those of a run: --na-me=value, --na-me value.
 */
#ifndef DARN_CLI_OPTION_WORD_H
#define DARN_CLI_OPTION_WORD_H

#include <stddef.h>

/* One option of the line, taken apart. */
struct darn_option_word {
    char name[64];     /* without the dashes, '_' for '-' */
    const char *value; /* after '=', or NULL */
};

/* 0, or -EINVAL when it cannot be an option of ours. */
int darn_option_word(struct darn_option_word *word, const char *text);

/* Takes the value from the next word of the line, argv[*at + 1], when it is not after '='. 0, or
 * -EINVAL with one line in `error`. */
int darn_option_value(struct darn_option_word *word, int *at, int argc, char **argv, char *error,
                      size_t size);

#endif
