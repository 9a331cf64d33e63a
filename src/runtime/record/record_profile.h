/*
 * The profile (src/trace/profile.h) in the program under test: what earlier runs have learned arms
 * the sites, and what this run learns is merged into the file when it ends.
 */
#ifndef DARN_RUNTIME_RECORD_PROFILE_H
#define DARN_RUNTIME_RECORD_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "site/site.h"
#include "trace/profile.h"

/* Reads a profile; more than one add up. 0; negative when it cannot be read; the number of the
 * first line that does not belong into a profile. An empty file is a profile. */
int darn_profile_load(const char *path);

/* Arms the sites of a module as the loaded profiles say. */
void darn_profile_module(const struct darn_site *start, const struct darn_site *stop);

/* Whether it is known, by a profile or by this run, that the read at the first site spins until the
 * store at the second. */
bool darn_profile_has_pair(uint64_t reader_key, uint64_t writer_key);

/* This run has learned of a pair: DARN_FACT_SPIN or DARN_FACT_SUSPECT. May be said again. */
void darn_profile_add_pair(enum darn_fact_kind kind, const struct darn_site *reader,
                           const struct darn_site *writer);

/*
 * Adds what this run has learned (the marked sites, the pairs) to the file, which is made if it is
 * not there. Its lines stay as they are, but for repetitions and suspects that are known to be
 * spins. Results as those of darn_profile_load: a file that is no profile is not touched.
 */
int darn_profile_write(const char *path);

/* In the child of fork: the lock may be held by a thread that is not there. */
void darn_profile_after_fork(void);

#endif
