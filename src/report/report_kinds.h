/*
 * The kinds of findings, in words.
 */
#ifndef DARN_REPORT_KINDS_H
#define DARN_REPORT_KINDS_H

#include <stdint.h>

/* `data race` for "data-race", `data races` when there are several; the kind itself if unknown. */
const char *darn_kind_words(const char *kind, uint64_t count);

#endif
