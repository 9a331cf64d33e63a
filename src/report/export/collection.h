/*
 * The findings of many runs, put together: one that was seen in several is one.
 */
#ifndef DARN_REPORT_COLLECTION_H
#define DARN_REPORT_COLLECTION_H

#include "base/htable.h"
#include "report/finding.h"

struct darn_collected {
    struct darn_finding *finding; /* as it was seen with the most certainty */
    uint64_t count;               /* how often, in all runs together */
    unsigned files;               /* in how many files */
    unsigned last;                /* of these, from 1 on */
    bool is_known;                /* the baseline has it */
};

/* A zeroed struct is an empty one. It owns the findings. */
struct darn_collection {
    struct darn_collected *items;
    size_t count, room;
    unsigned files; /* that were read */
    struct darn_htable ids;
};

void darn_collection_free(struct darn_collection *collection);

/* Adds what a file of JSON Lines has, the index in the directory of a hunt, or the finding in its own. Objects that are no
 * findings, such as the summary of an exploration, and what a hunt could not confirm are passed
 * over. 0, or a negative number with
 * one line in `error`. */
int darn_collection_read(struct darn_collection *collection, const char *path, char *error,
                         size_t error_size);

/* NULL when there is none. */
struct darn_collected *darn_collection_find(const struct darn_collection *collection,
                                            const char *id);

/* What was seen in the most files comes first, then what was seen most often. */
void darn_collection_sort(struct darn_collection *collection);

/* Those of which this is true stay. */
void darn_collection_keep(struct darn_collection *collection,
                          bool (*is_kept)(void *context, const struct darn_finding *finding),
                          void *context);

/* Whether it has this finding, or one of its shape. */
bool darn_collection_has(const struct darn_collection *collection,
                         const struct darn_finding *finding);

/* What stays the same when lines are added above it: the kind, the variable, and of each access
 * the file, the function and what it does. */
uint64_t darn_collection_shape(const struct darn_finding *finding);

/* Sets is_known of those that the baseline has: the same, or, since a change may have moved it,
 * another one of the same shape that is not there any more itself. Returns how many of the baseline
 * were not seen. */
size_t darn_collection_compare(struct darn_collection *collection,
                               const struct darn_collection *baseline);

#endif
