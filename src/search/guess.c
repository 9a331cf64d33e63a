#include "search/guess.h"

void darn_guess_free(struct darn_guess *guess)
{
    darn_table_free(&guess->contexts);
    darn_array_free(&guess->guesses);
}

static struct darn_guesses *guesses_of(struct darn_guess *guess, uint64_t context)
{
    bool added;
    uint32_t *number = darn_table_at(&guess->contexts, context, &added);

    if (!number)
        return NULL;
    if (added) {
        /* Without memory it is a number that is never reached. */
        *number = darn_array_add(&guess->guesses, sizeof(struct darn_guesses))
                      ? (uint32_t)guess->guesses.count - 1
                      : UINT32_MAX;
    }
    return *number == UINT32_MAX ? NULL : (struct darn_guesses *)guess->guesses.at + *number;
}

void darn_guess_note(struct darn_guess *guess, uint64_t context, uint64_t share)
{
    struct darn_guesses *guesses = guesses_of(guess, context);

    if (!guesses)
        return;
    for (uint32_t i = 0; i < guesses->count; i++) {
        if (guesses->shares[i] == share)
            return;
    }
    if (guesses->count < DARN_GUESSES)
        guesses->shares[guesses->count++] = share;
}

const struct darn_guesses *darn_guess_of(const struct darn_guess *guess, uint64_t context)
{
    uint32_t number = darn_table_get(&guess->contexts, context, UINT32_MAX);

    if (number == UINT32_MAX)
        return NULL;
    return (const struct darn_guesses *)guess->guesses.at + number;
}
