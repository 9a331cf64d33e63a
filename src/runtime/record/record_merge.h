/* Merging what a run has learned into the file of a profile; for work elsewhere (os.h). */
#ifndef DARN_RUNTIME_RECORD_MERGE_H
#define DARN_RUNTIME_RECORD_MERGE_H

#include <stdint.h>

#include "runtime/os/os_file.h"
#include "trace/profile.h"

/* A fact of this run about two sites, by their numbers and keys. */
struct darn_pair {
    enum darn_fact_kind kind;
    uint32_t reader, writer;
    uint64_t reader_key, writer_key;
};

/* 0 for a profile or an empty file, else the number of the first line that does not belong there.
 */
int darn_profile_check(const struct darn_file *file);

/* Adds the marked sites and the pairs to the file. 0, negative, or the number of a bad line. Sorts
 * the pairs. */
int darn_profile_merge(const char *path, struct darn_pair *pairs, uint32_t count);

#endif
