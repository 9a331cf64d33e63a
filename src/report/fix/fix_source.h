/*
 * A source file as a patch sees it: its lines, how deep in braces they are, and what is
 * to be put before and behind them.
 *
 * It is read without a compiler: braces and semicolons outside of comments and strings tell where
 * statements begin and end. What that cannot tell, the compiler does.
 */
#ifndef DARN_REPORT_FIX_SOURCE_H
#define DARN_REPORT_FIX_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/text_pool.h"

struct darn_source_row {
    const char *text;      /* without its end */
    int start, least, end; /* depth in braces: at its start, the least within, at its end */
    int parens;            /* open at its end */
    char last;             /* the last character that is code; 0: there is none */
    bool directive;        /* of the preprocessor */
    int conditions;        /* #if that it is in; #if, #else and #endif are not in their own */
    bool gone;             /* the patch takes it away */
    const char *before;    /* whole lines to be put before it; NULL: none */
    const char *after;
};

struct darn_source {
    struct darn_text_pool pool;
    const char *file, *dir;       /* as the compiler calls it; dir may be NULL */
    const char *name;             /* as the patch does */
    const char *original;         /* the whole text, as it was read */
    const char *text;             /* as it becomes; NULL until the patch is whole */
    struct darn_source_row *rows; /* rows[1] is line 1 */
    unsigned count;
    bool has_returns; /* its lines end with \r\n: those that are put in do so, too */
    bool is_cut;      /* its last line has no end */
};

/* Reads the file `path`. False when it cannot be read, or is no text. */
bool darn_source_load(struct darn_source *source, const char *path);
void darn_source_free(struct darn_source *source);

/* Makes the lines *first to *last whole statements of one block: both grow. False when there is no
 * such block inside a function. */
bool darn_source_widen(const struct darn_source *source, unsigned *first, unsigned *last);

/* Whether a statement begins with the line. */
bool darn_source_begins(const struct darn_source *source, unsigned line);

/* How many blanks or tabs the line begins with. */
size_t darn_source_indent(const struct darn_source *source, unsigned line);

/* Whole lines, indented as the line `like` is, each followed by a line end. More are appended. */
void darn_source_put_before(struct darn_source *source, unsigned line, unsigned like,
                            const char *text);
void darn_source_put_after(struct darn_source *source, unsigned line, unsigned like,
                           const char *text);

/* The file as it becomes. */
char *darn_source_render(struct darn_source *source);

#endif
