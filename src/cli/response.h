/*
 * Response files: @FILE on a compiler's command line stands for the words in FILE.
 */
#ifndef DARN_CLI_RESPONSE_H
#define DARN_CLI_RESPONSE_H

#include "cli/words.h"

/* Adds the words of a text with GNU quoting: separated by white space, '…' and "…" keep it, a
 * backslash keeps the next character (not inside '…'). */
void darn_response_split(struct darn_words *words, const char *text);

/* Adds the words with every @FILE replaced by its content. A file that cannot be read stays as it
 * is, as clang has it. */
void darn_response_expand(struct darn_words *words, int argc, char **argv);

#endif
