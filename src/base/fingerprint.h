/*
 * The fingerprint of a finding. The runtime makes it of what it sees, the reports of what is
 * predicted, or was met in a controlled run: the same finding has the same one everywhere.
 *
 * It is made of the kind, the places in whatever order, and the variable. Addresses and threads are
 * not in it: it is the same in every run until the lines change.
 */
#ifndef DARN_BASE_FINGERPRINT_H
#define DARN_BASE_FINGERPRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A place, by the names that its site record has; NULL is the same as "". Never 0. */
uint64_t darn_fingerprint_site(const char *kind, const char *file, const char *function,
                               uint32_t line, uint32_t column);

/* A place that has no site: `free`, or `unknown`. */
uint64_t darn_fingerprint_word(const char *kind, const char *word);

/* Whether a variable is named as such, not `p->x`, `*p` or `a[i]`. */
bool darn_fingerprint_is_plain(const char *variable);

/* Whether accesses that use this name mean the same variable wherever they are, most likely:
 * `acct->balance` and `tab[].next` do. Two functions may each have an `n`, `*p` or `this->count` of
 * their own: it takes the address as well to tell. */
bool darn_fingerprint_is_telling(const char *variable);

/* One name for what two sites access, whichever came first: a plain one before `p->x`, then by
 * order. NULL or "" is not known; if neither is, `b`. */
const char *darn_fingerprint_variable(const char *a, const char *b);

/* Of a race: the two places, and the variable, which may be NULL. */
uint64_t darn_fingerprint_race(uint64_t one, uint64_t other, const char *variable);

/* Of anything else: the places, each with the word of what was done there behind it
 * (darn_hash_string). Sorts them. `reason` and `variable` may be NULL. */
uint64_t darn_fingerprint_places(const char *kind, uint64_t *places, size_t count,
                                 const char *reason, const char *variable);

/* Sixteen digits, always: ids are compared as text. */
#define DARN_FINGERPRINT_TEXT 17
void darn_fingerprint_text(uint64_t fingerprint, char text[DARN_FINGERPRINT_TEXT]);

#endif
