/*
 * A new content for a file, written beside it and put in its place at once: nobody ever sees half
 * of it. A directory may be shared with strangers: the draft has a name that nobody can guess,
 * `.NAME.XXXXXX.tmp`, and is always a new file. The draft is locked as long as it is written, so
 * that one that a killed process has left is told from one that is in use. The runtime names and
 * locks its own in the same way (runtime/os/os_file.c).
 */
#ifndef DARN_BASE_DRAFT_H
#define DARN_BASE_DRAFT_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

struct darn_draft {
    char path[PATH_MAX], to[PATH_MAX];
    FILE *file;
};

/* Begins the new content of `path`. One that is secret is for its owner alone; else the file keeps
 * its mode, and a new one gets the usual one. Drafts of the same file that were left are removed.
 * 0 or a negative errno. */
int darn_draft_open(struct darn_draft *draft, const char *path, bool secret);

/* Puts it in its place, unless `result`, or what has happened to the file, is an error: then it is
 * removed. 0 or the negative errno. */
int darn_draft_finish(struct darn_draft *draft, int result);

/* Removes the drafts of `path` that nobody writes any more. */
void darn_draft_sweep(const char *path);

#endif
