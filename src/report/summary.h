/*
 * The end of a run: which findings there were, and how often each was seen.
 */
#ifndef DARN_REPORT_SUMMARY_H
#define DARN_REPORT_SUMMARY_H

#include <stddef.h>
#include <stdint.h>

#include "report/finding.h"
#include "report/text_pool.h"

struct darn_summary_item {
    const char *id, *kind;
    const char *certainty;                  /* NULL: observed */
    const char *file, *function, *variable; /* NULL when unknown */
    unsigned line;
    uint64_t count;
    bool is_variant; /* another one has the same cause */
};

struct darn_summary {
    struct darn_text_pool pool; /* owns everything below */
    int64_t pid;
    uint64_t suppressed;
    uint64_t variants; /* of the items: findings that have the same causes (cause.h) */
    const char *scope; /* what was looked at, for when nothing was found: `12 events`; or NULL */
    struct darn_summary_item *items;
    size_t item_count;
};

/* Its strings are those of the finding. */
struct darn_summary_item darn_summary_item(const struct darn_finding *finding);

/* Reads what the runtime says (docs/raw-finding-format.md). NULL with one line in `error`. */
struct darn_summary *darn_summary_read(const char *json, size_t length, char *error,
                                       size_t error_size);
/* Variants are only counted from now on. */
void darn_summary_fold(struct darn_summary *summary);
void darn_summary_free(struct darn_summary *summary);

#endif
