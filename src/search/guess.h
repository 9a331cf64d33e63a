/*
 * What will come of a step, from what has come of it before: a table from contexts to the shares
 * that threads had of the state afterwards (state.h).
 */
#ifndef DARN_SEARCH_GUESS_H
#define DARN_SEARCH_GUESS_H

#include "base/map.h"
#include "search/array.h"

#define DARN_GUESSES 6 /* of one context; with more anything may come of it */

struct darn_guesses {
    uint64_t shares[DARN_GUESSES];
    uint32_t count;
};

struct darn_guess {
    /* Private. */
    struct darn_map contexts;
    struct darn_array guesses;
};

void darn_guess_note(struct darn_guess *guess, uint64_t context, uint64_t share);

/* NULL: nobody knows. */
const struct darn_guesses *darn_guess_of(const struct darn_guess *guess, uint64_t context);

void darn_guess_free(struct darn_guess *guess);

#endif
