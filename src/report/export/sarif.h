/*
 * SARIF 2.1.0 (OASIS): what code-scanning services and editors read.
 *
 * A file has the tool with a rule for each kind of finding in its first line, then one result in
 * each line, and an end that is always the same: so processes that run at the same time, or one
 * after another, can each put their findings into the same file, which is whole after each.
 */
#ifndef DARN_REPORT_SARIF_H
#define DARN_REPORT_SARIF_H

#include <stdio.h>

#include "base/json.h"
#include "report/export/collection.h"
#include "report/export/export.h"

/* All of it. With a baseline each result says whether it is new. */
void darn_sarif_print(const struct darn_collection *collection, bool has_baseline,
                      const struct darn_root *root, FILE *out);

/* Makes the file without a result, unless it is there: then it must be one of ours. The root is
 * that of the directory where we are. 0 or a negative errno; -EINVAL: it is a file of others. */
int darn_sarif_begin(const char *path, const char *strip);

/* Puts the finding into the file, which is begun if it must be; in the place of the same one, if
 * that was seen with less certainty. The same result. */
int darn_sarif_put(const char *path, const struct darn_finding *finding, const char *strip);

/* sarif_result.c: one result. `state` is that against a baseline: new, unchanged; or NULL. */
void darn_sarif_result(struct darn_json *json, const struct darn_finding *finding, uint64_t count,
                       const char *state, const struct darn_root *root);

/* sarif_rules.c: the array `rules`, and the index of a kind in it; -1: it has none. */
void darn_sarif_rules(struct darn_json *json);
int darn_sarif_rule(const char *kind);

/* {"text": …}, as SARIF has texts. */
void darn_sarif_text(struct darn_json *json, const char *key, const char *text);

#define DARN_SARIF_ROOT        "%SRCROOT%" /* how code-scanning services call the top */
#define DARN_SARIF_FINGERPRINT "darn/v1"

#endif
