/*
 * Which kind of search the next run belongs to: a fixed opening, which tries what shows most bugs
 * at once, and then all of them in turns, those more often that have shown something new lately.
 */
#ifndef DARN_SEARCH_PORTFOLIO_H
#define DARN_SEARCH_PORTFOLIO_H

#include "search/coverage.h"
#include "search/search.h"

enum darn_move {
    DARN_MOVE_DELAY,
    DARN_MOVE_STRAIGHT,
    DARN_MOVE_REVERSE, /* orders.h */
    DARN_MOVE_EAGER,
    DARN_MOVE_RANDOM,
    DARN_MOVE_PCT,
    DARN_MOVE_POS,
    DARN_MOVE_SURW,
    DARN_MOVE_RFF,
    DARN_MOVE_HOLD,
    DARN_MOVE_PARK, /* park.h, through hold.h */
    DARN_MOVE_MIX,
    DARN_MOVE_STATES,
    DARN_MOVES,
};

struct darn_portfolio {
    uint64_t random;
    uint64_t moves; /* so far */
    uint32_t luck[DARN_MOVES];
};

/* `fresh`: there are places of promise at which nobody was held so far. */
enum darn_move darn_portfolio_choose(struct darn_portfolio *portfolio, bool fresh);

/* The coverage is that with the run of the move. */
void darn_portfolio_tell(struct darn_portfolio *portfolio, enum darn_move move,
                         const struct darn_coverage *coverage);

#endif
