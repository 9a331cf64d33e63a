/*
 * The kinds of findings, and what runs came to, in words.
 */
#ifndef DARN_REPORT_KINDS_H
#define DARN_REPORT_KINDS_H

#include <stdint.h>

/* `data race` for "data-race", `data races` when there are several; the kind itself if unknown. */
const char *darn_kind_words(const char *kind, uint64_t count);

/* `a crash` for "crash", what a run came to: behind `led to`, and behind `3 times`. The word itself if
 * it is unknown. */
const char *darn_outcome_words(const char *outcome);

#endif
