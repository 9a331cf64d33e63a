/* The results as Markdown: one table per quantity, and one that compares them with our goals. */
#ifndef DARN_BENCH_TABLE_H
#define DARN_BENCH_TABLE_H

#include "result.h"

#include <stdio.h>

void darn_table_ratios(FILE *out, const struct darn_plan *plan, const darn_result_row *rows,
                       enum darn_quantity quantity);

/* What went wrong or took too long, and who reported races; nothing if there is nothing to say. */
void darn_table_remarks(FILE *out, const struct darn_plan *plan, const darn_result_row *rows);

/* The goals of the plan, what was measured, and whether they are met. */
void darn_table_goals(FILE *out, const struct darn_plan *plan, const darn_result_row *rows);

#endif
