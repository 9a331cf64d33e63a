/*
 * The profile of a program: what its runs have taught us about its sites. A text file, one fact per
 * line, that can be read, merged by concatenation, and kept in version control:
 *
 *   darn profile 1
 *   shared 8f3c0123456789ab bank.c:12:9 write balance     touches memory that two threads share,
 *                                                         one of which writes
 *   spin 0123456789abcdef 8f3c0123456789ab                the read at the first site has spun until
 *                                                         the store at the second ended it
 *   suspect 0123456789abcdef 8f3c0123456789ab             the read at the first site looks like a
 *                                                         spin and got what the store at the second
 *                                                         wrote, but did not have to wait
 *
 * Sites are named by darn_site_key; what follows the key in a line is for people. Nothing here
 * allocates or uses stdio: the runtime reads and writes profiles, too.
 */
#ifndef DARN_TRACE_PROFILE_H
#define DARN_TRACE_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#define DARN_PROFILE_FIRST_LINE "darn profile 1"

enum darn_fact_kind { DARN_FACT_SHARED, DARN_FACT_SPIN, DARN_FACT_SUSPECT };

struct darn_fact {
    enum darn_fact_kind kind;
    uint64_t site;   /* key */
    uint64_t writer; /* key; of SPIN and SUSPECT */
};

/* Reads the next fact from text[*at, length) and moves *at behind its line. Empty lines and those
 * that begin with # are skipped. 1; 0 at the end; -1 for a line that is none: *at is then where it
 * begins. A first line that is repeated is skipped. */
int darn_profile_next(const char *text, size_t length, size_t *at, struct darn_fact *fact);

/* Whether the text begins as a profile does. */
int darn_profile_is(const char *text, size_t length);

#endif
