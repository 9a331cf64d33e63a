/*
 * What is made of many findings for other tools to show: SARIF (sarif.h), and annotations of a
 * change (annotate_change.h). Here is what these share: where a place is, from the top of the sources, and
 * what is to be said about it.
 */
#ifndef DARN_REPORT_EXPORT_H
#define DARN_REPORT_EXPORT_H

#include <limits.h>

#include "report/finding.h"

/* Where the sources begin: services find a file by its path from there. */
struct darn_root {
    char path[PATH_MAX]; /* absolute, with a / at the end */
    const char *strip;   /* what is left out of names instead (strip_path_prefix); or NULL */
};

/* The directory above this one, or this one, that has a `.git`; this one if none has. */
void darn_root_find(struct darn_root *root, const char *strip);

/* The name of a file from the root on, when it lies below: `src/bank.c`. Otherwise absolute, or as
 * it was given when it is not known relative to what. It lives as long as the pool. */
const char *darn_export_path(const struct darn_root *root, const char *dir, const char *file,
                             struct darn_text_pool *pool);

/* The same as a reference of RFC 3986: `src/my%20bank.c`, `file:///usr/include/time.h`. */
const char *darn_export_uri(const char *path, struct darn_text_pool *pool);

/* Where people look for an access; `file` is NULL when that is not known. */
struct darn_frame darn_export_place(const struct darn_finding_access *access);

/* What is wrong, in one sentence: `data race on 'acct->balance'`. */
const char *darn_export_title(const struct darn_finding *finding, struct darn_text_pool *pool);

/* What the access at this index is: `thread T2 'audit' reads the same 8 bytes, holding no lock`. */
const char *darn_export_step(const struct darn_finding *finding, size_t index,
                             struct darn_text_pool *pool);

/* What to do about it. */
const char *darn_export_advice(const struct darn_finding *finding, struct darn_text_pool *pool);

#endif
