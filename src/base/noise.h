/*
 * What the user says about noise: where it is injected, how often and how strongly (AtomRace, 3.3).
 *
 *   random:F/S            at any access
 *   var:NAME:F/S          at accesses to the variable NAME, as the site names it
 *   site:FILE:LINE:F/S    at the accesses of one source line
 *   section:F/S           inside atomic sections
 *
 * F is the frequency in per mille, S the strength in microseconds. The text is read from its right
 * end, because NAME and FILE may contain ':' themselves (`var:bank::total:500/50`).
 *
 * Lives in the program under test as well: no allocation, no stdio, no locale.
 */
#ifndef DARN_BASE_NOISE_H
#define DARN_BASE_NOISE_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

#define DARN_NOISE_SPECS     64
#define DARN_NOISE_NAME      256
#define DARN_NOISE_FREQUENCY 1000
#define DARN_NOISE_STRENGTH  10000000

enum darn_noise_kind {
    DARN_NOISE_RANDOM,
    DARN_NOISE_VAR,
    DARN_NOISE_SITE,
    DARN_NOISE_SECTION,
};

struct darn_noise {
    enum darn_noise_kind kind;
    char name[DARN_NOISE_NAME]; /* the variable or the file; empty for random and section */
    uint32_t line;              /* of a site; 0 otherwise */
    uint32_t frequency;         /* per mille */
    uint32_t strength;          /* microseconds */
};

/* For messages. */
#define DARN_NOISE_SYNTAX "random:F/S, var:NAME:F/S, site:FILE:LINE:F/S or section:F/S"
#define DARN_NOISE_BOUNDS ", with F 0..1000 and S 0..10000000"

/* Whether it is for some accesses only, which the specification names. */
static inline int darn_noise_is_named(enum darn_noise_kind kind)
{
    return kind == DARN_NOISE_VAR || kind == DARN_NOISE_SITE;
}

/* One specification, `length` characters of text. 0, -EINVAL (not a specification) or
 * -ENAMETOOLONG. `noise` is unspecified after an error. */
int darn_noise_parse(struct darn_noise *noise, const char *text, size_t length);

/* The length of the first specification of a list separated by commas. A comma separates only when
 * a new specification, or nothing, follows it: names like `map<int, long>::size` contain some. */
size_t darn_noise_length(const char *list, size_t length);

/* Appends the specification that darn_noise_parse would read. */
void darn_noise_format(const struct darn_noise *noise, struct darn_text *text);

/* 1 when both are the same specification, 0 otherwise. */
int darn_noise_equal(const struct darn_noise *a, const struct darn_noise *b);

#endif
