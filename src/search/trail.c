#include "search/trail.h"

#include <string.h>

static void make_room(struct darn_trail *trail, uint32_t all)
{
    uint32_t threads = 0;

    for (uint32_t i = 0; i < all; i++) {
        if (trail->steps[i].thread >= threads)
            threads = trail->steps[i].thread + 1;
    }
    trail->threads = threads;
    trail->made.count = trail->marks.count = 0;
    darn_array_reach(&trail->numbers, all, sizeof(uint32_t));
    darn_array_reach(&trail->links, all, sizeof(uint32_t));
    darn_array_reach(&trail->made, threads, sizeof(uint32_t));
    darn_array_reach(&trail->marks, threads, sizeof(bool));
}

static void mark_cancelled(struct darn_trail *trail)
{
    bool *marks = trail->marks.at;

    for (uint32_t i = 0; i < trail->count; i++) {
        const struct darn_step *step = &trail->steps[i];

        if (step->op == DARN_STEP_CANCEL && step->object < trail->threads)
            marks[step->object] = true;
    }
    trail->cancelled = marks;
}

bool darn_trail_read(struct darn_trail *trail, const struct darn_outcome *outcome)
{
    uint64_t count = outcome->result->steps;
    uint32_t *own, *next, *made, all;

    /* What was left of the run before. */
    memset(trail->first, 0, trail->slots * sizeof(*trail->first));
    trail->slots = 0;
    trail->steps = outcome->steps;
    trail->count = (uint32_t)(count < DARN_TRAIL_STEPS ? count : DARN_TRAIL_STEPS);
    if (!outcome->steps) {
        trail->count = 0;
        return false;
    }
    all = trail->count + (count < DARN_TRAIL_STEPS ? outcome->result->pending : 0);
    make_room(trail, all);
    trail->own = own = trail->numbers.at;
    trail->next = next = trail->links.at;
    made = trail->made.at;
    mark_cancelled(trail);
    for (uint32_t i = 0; i < all; i++) {
        const struct darn_step *step = &trail->steps[i];
        uint32_t slot = step->slot % DARN_SLOTS;

        next[i] = 0;
        own[i] = made[step->thread];
        if (step->op == DARN_STEP_WAKE)
            continue;
        made[step->thread]++;
        if (trail->first[slot])
            next[trail->last[slot]] = i + 1;
        else
            trail->first[slot] = i + 1;
        trail->last[slot] = i;
        if (slot >= trail->slots)
            trail->slots = slot + 1;
    }
    return true;
}

void darn_trail_free(struct darn_trail *trail)
{
    darn_array_free(&trail->numbers);
    darn_array_free(&trail->links);
    darn_array_free(&trail->made);
    darn_array_free(&trail->marks);
}
