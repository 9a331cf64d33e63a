/*
 * What a compiler's command line asks for: just enough to know what darn has to add.
 */
#ifndef DARN_CLI_CC_LINE_H
#define DARN_CLI_CC_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/words.h"

struct darn_cc_line {
    bool raw;              /* -cc1: not a command line for people */
    bool inputs;           /* names something to compile or link */
    bool links_program;    /* ends with an executable */
    bool demands_all;      /* links something without the runtime, and every symbol must be there */
    bool lto;              /* -flto */
    bool no_debug;         /* -g0 has the last word about debug information */
    bool no_warnings;      /* -w */
    bool thread_sanitizer; /* -fsanitize=thread */
    const char *refused;   /* a word with which the runtime cannot be linked, or NULL */
    const char *source;    /* the only input of a compilation that ends with its object, or NULL; */
    const char *object;    /* NULL: it is called after the source */
};

/* The words are those after the compiler's name, with response files expanded. `refused` points to
 * one of them. */
void darn_cc_line_read(struct darn_cc_line *line, size_t count, char *const *words);

/* Whether only gcc knows the option, and it says nothing about what the program means: how gcc
 * optimizes, what it dumps. */
bool darn_cc_line_is_for_gcc(const char *word);

/* Response files: @FILE on a compiler's command line stands for the words in FILE (response.c).
 *
 * Adds the words of a text with GNU quoting: separated by white space, '…' and "…" keep it, a
 * backslash keeps the next character (not inside '…'). */
void darn_response_split(struct darn_words *words, const char *text);

/* Adds the words with every @FILE replaced by its content. A file that cannot be read stays as it
 * is, as clang has it. */
void darn_response_expand(struct darn_words *words, int argc, char **argv);

/* What `darn cc` leaves of its line in what it makes (cc_record.c, driver/fix/recorded.h), so that
 * `darn fix` can make it again: each object has the line that has compiled it, and a program the
 * one that has linked it.
 *
 * Adds what makes clang leave it. `command` is cc or c++; the words are the user's, with response
 * files expanded: those are gone when the program is made again. Our own options are in the
 * environment by now (site/wishes.h). */
void darn_cc_record(struct darn_words *out, const char *command, const struct darn_words *words,
                    const struct darn_cc_line *line);

#endif
