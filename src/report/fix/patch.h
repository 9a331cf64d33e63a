/*
 * A candidate for a fix: files of the source, changed.
 *
 * It is made from the text of the source, without a compiler, so most candidates are wrong. One
 * becomes a fix when it was built and tried (driver/fix): nobody sees the others.
 */
#ifndef DARN_REPORT_PATCH_H
#define DARN_REPORT_PATCH_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/finding.h"
#include "report/fix/fix_source.h"

#define DARN_PATCH_FILES 4

struct darn_patch {
    struct darn_text_pool pool;
    const char *what; /* it does, in words: "hold 'lock' at bank.c:29" */
    struct darn_source files[DARN_PATCH_FILES];
    size_t count;
    char *diff;     /* as text */
    unsigned lines; /* that it adds and takes away */
};

/* The file, to be changed; NULL when it cannot be read, or there are too many. */
struct darn_source *darn_patch_file(struct darn_patch *patch, const char *dir, const char *file);
void darn_patch_free(struct darn_patch *patch);

/* The candidates for a finding, the smallest first, each once. */
struct darn_patches {
    const char *root; /* files below it are called by their path from there; NULL: as the compiler
                         does */
    struct darn_patch **list;
    size_t count, room;
};

/* `story` is that of its schedule; NULL: none. */
void darn_patches_make(struct darn_patches *patches, const struct darn_finding *finding,
                       const json_t *story);
void darn_patches_free(struct darn_patches *patches);

#endif
