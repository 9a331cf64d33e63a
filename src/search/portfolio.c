#include "search/portfolio.h"

#include "base/random.h"

#define LUCK_ONE  256 /* fixed point */
#define BEGINNING 300 /* moves */

static const uint8_t opening[] = {
    DARN_MOVE_DELAY,  DARN_MOVE_STRAIGHT, DARN_MOVE_PARK,   DARN_MOVE_REVERSE, DARN_MOVE_PARK,
    DARN_MOVE_MIX,    DARN_MOVE_SURW,     DARN_MOVE_HOLD,   DARN_MOVE_PARK,    DARN_MOVE_STATES,
    DARN_MOVE_RANDOM, DARN_MOVE_PARK,     DARN_MOVE_SURW,   DARN_MOVE_STATES,  DARN_MOVE_MIX,
    DARN_MOVE_PARK,   DARN_MOVE_POS,      DARN_MOVE_STATES, DARN_MOVE_HOLD,    DARN_MOVE_EAGER,
    DARN_MOVE_RFF,    DARN_MOVE_SURW,     DARN_MOVE_STATES, DARN_MOVE_PARK,    DARN_MOVE_MIX,
    DARN_MOVE_RANDOM, DARN_MOVE_STATES,   DARN_MOVE_RFF,    DARN_MOVE_PCT,     DARN_MOVE_POS,
};

/* Out of 100, in the beginning and later on: what only samples is soon at its end where a bug is
 * rare; the states go on. */
static const uint32_t shares[2][DARN_MOVES] = {
    {
        [DARN_MOVE_STATES] = 30,
        [DARN_MOVE_SURW] = 13,
        [DARN_MOVE_RFF] = 10,
        [DARN_MOVE_HOLD] = 10,
        [DARN_MOVE_POS] = 12,
        [DARN_MOVE_RANDOM] = 10,
        [DARN_MOVE_PCT] = 5,
        [DARN_MOVE_PARK] = 4,
        [DARN_MOVE_MIX] = 6,
    },
    {
        [DARN_MOVE_STATES] = 60,
        [DARN_MOVE_SURW] = 6,
        [DARN_MOVE_RFF] = 10,
        [DARN_MOVE_HOLD] = 5,
        [DARN_MOVE_POS] = 5,
        [DARN_MOVE_RANDOM] = 3,
        [DARN_MOVE_PCT] = 5,
        [DARN_MOVE_PARK] = 2,
        [DARN_MOVE_MIX] = 4,
    },
};

/* A move that has shown something new lately weighs up to three times as much, and while there are
 * places of promise they weigh more still. */
static uint32_t weight_of(const struct darn_portfolio *portfolio, int move, bool fresh)
{
    uint32_t luck = portfolio->luck[move] > 2 * LUCK_ONE ? 2 * LUCK_ONE : portfolio->luck[move];
    uint32_t weight = shares[portfolio->moves > BEGINNING][move] * (LUCK_ONE + luck);
    bool holds = move == DARN_MOVE_HOLD || move == DARN_MOVE_PARK;

    return holds && fresh ? 4 * weight : weight;
}

enum darn_move darn_portfolio_choose(struct darn_portfolio *portfolio, bool fresh)
{
    uint64_t number = portfolio->moves++;
    uint32_t total = 0, left;

    if (number < sizeof(opening))
        return (enum darn_move)opening[number];
    for (int move = 0; move < DARN_MOVES; move++)
        total += weight_of(portfolio, move, fresh);
    left = darn_random_below(&portfolio->random, total);
    for (int move = 0; move < DARN_MOVES; move++) {
        uint32_t weight = weight_of(portfolio, move, fresh);

        if (left < weight)
            return (enum darn_move)move;
        left -= weight;
    }
    return DARN_MOVE_POS;
}

void darn_portfolio_tell(struct darn_portfolio *portfolio, enum darn_move move,
                         const struct darn_coverage *coverage)
{
    uint32_t *luck = &portfolio->luck[move];

    *luck -= *luck / 16;
    if (coverage->new_reads)
        *luck += LUCK_ONE / 4;
}
