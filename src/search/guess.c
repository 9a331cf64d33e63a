#include "search/guess.h"

void darn_guess_free(struct darn_guess *guess)
{
    darn_map_free(&guess->contexts);
    darn_array_free(&guess->guesses);
}

static struct darn_guesses *guesses_of(struct darn_guess *guess, uint64_t context)
{
    bool added;
    uintptr_t *number = darn_map_at(&guess->contexts, context, &added);

    if (added) {
        *number = guess->guesses.count;
        darn_array_add(&guess->guesses, sizeof(struct darn_guesses));
    }
    return (struct darn_guesses *)guess->guesses.at + *number;
}

void darn_guess_note(struct darn_guess *guess, uint64_t context, uint64_t share)
{
    struct darn_guesses *guesses = guesses_of(guess, context);

    for (uint32_t i = 0; i < guesses->count; i++) {
        if (guesses->shares[i] == share)
            return;
    }
    if (guesses->count < DARN_GUESSES)
        guesses->shares[guesses->count++] = share;
}

const struct darn_guesses *darn_guess_of(const struct darn_guess *guess, uint64_t context)
{
    uintptr_t number = darn_map_get(&guess->contexts, context, UINTPTR_MAX);

    if (number == UINTPTR_MAX)
        return NULL;
    return (const struct darn_guesses *)guess->guesses.at + number;
}
