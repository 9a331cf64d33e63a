/*
 * Annotations: findings at the lines of a change, in the form that a hosted CI reads.
 */
#ifndef DARN_REPORT_ANNOTATE_CHANGE_H
#define DARN_REPORT_ANNOTATE_CHANGE_H

#include <stdio.h>

#include "report/export/collection.h"
#include "report/export/export.h"

/* Prints those that are not known: `form` is `github` (workflow commands, one in a line) or
 * `gitlab` (the JSON of a code quality report). */
void darn_annotate(const char *form, const struct darn_collection *collection,
                   const struct darn_root *root, FILE *out);

#endif
