/*
 * A line of a table: texts that begin at given columns. Nothing is printed for columns that stay
 * empty at its end.
 */
#ifndef DARN_REPORT_SNAPSHOT_LINE_H
#define DARN_REPORT_SNAPSHOT_LINE_H

#include "report/text_pool.h"
#include "report/text/ink.h"

struct darn_line {
    struct darn_ink *ink;
    unsigned column; /* where the next text begins */
    unsigned used;   /* up to where something was printed */
};

/* How many columns a text takes. */
unsigned darn_columns(const char *text);

/* The text in at most `width` columns; dots say that it was cut. */
const char *darn_fit(struct darn_text_pool *pool, const char *text, unsigned width);

/* The same for `write savings.balance`, whose end tells most: `write ..balance`. */
const char *darn_fit_action(struct darn_text_pool *pool, const char *text, unsigned width);

/* What comes next begins there, or two columns on if that has passed. */
void darn_line_go(struct darn_line *line, unsigned column);
void darn_line_put(struct darn_line *line, const char *text);
void darn_line_end(struct darn_line *line);

#endif
