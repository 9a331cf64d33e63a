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

/* Where sources are. */
struct darn_patch_place {
    const char *root; /* files below it are called by their path from there, and no others are
                         changed; NULL: all are called as the compiler does */
    const char *copy; /* of the root, from which they are read; NULL: from the root itself */
};

struct darn_patch {
    struct darn_text_pool pool;
    struct darn_patch_place place;
    const char *what; /* it does, in words: "hold 'lock' at bank.c:29" */
    unsigned parts;   /* patches that were joined: 1 if it is none */
    struct darn_source files[DARN_PATCH_FILES];
    size_t count;
    char *diff;     /* as text */
    unsigned lines; /* that it adds and takes away */
};

/* The file, to be changed; NULL when it cannot be read, or there are too many. */
struct darn_source *darn_patch_file(struct darn_patch *patch, const char *dir, const char *file);
void darn_patch_free(struct darn_patch *patch);

/* Where a file is to be read; NULL when it is gone, or not below the root. Of a file below it
 * `name` is its path from there. The caller frees it. */
char *darn_patch_find(const struct darn_patch_place *place, const char *dir, const char *file,
                      const char **name);

/* The candidates for a finding, the smallest first, each once. */
struct darn_patches {
    struct darn_patch_place place;
    struct darn_patch **list;
    size_t count, room;
};

/* `story` is that of its schedule; NULL: none. */
void darn_patches_make(struct darn_patches *patches, const struct darn_finding *finding,
                       const json_t *story);

bool darn_patches_have(const struct darn_patches *patches, const struct darn_patch *patch);

/* Adds `first` with each of `seconds`, which were made in a copy of the tree that has `first`. */
void darn_patches_join(struct darn_patches *patches, const struct darn_patch *first,
                       const struct darn_patches *seconds);
void darn_patches_sort(struct darn_patches *patches); /* the smallest first */
void darn_patches_free(struct darn_patches *patches);

#endif
