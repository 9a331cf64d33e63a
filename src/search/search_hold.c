#include "search/search_hold.h"

#include <stdlib.h>

#include "base/random.h"

enum {
    HELD_ALL = 1,   /* everybody was held there */
    HELD_FIRST = 2, /* only the first thread that had come there */
    HELD_LAST = 4,  /* only the last one */
    PARKED = 8,     /* everybody, by a script */
};

#define PROMISE   8 /* the score from which on a place is about what threads share */
#define TRIED     3 /* what a place loses each time that another one of the same code was tried */
#define MIX_TRIES 4

struct ranked {
    uint32_t place; /* its index */
    int score;
};

void darn_hold_free(struct darn_search_hold *hold)
{
    darn_array_free(&hold->tried);
    darn_array_free(&hold->order);
    darn_array_free(&hold->scores);
}

/* How much is to be expected of holding threads at the place: nothing at 0. The numbers only have
 * to put the places into an order:
 * - it is about something that others work with, too; 8
 * - the thread is not at its beginning: what others do now comes between two things it does; 6
 * - it holds no lock that would keep them from it; or it is about to take one more; 4
 * - it has begun to change things: others see one half of it; 2
 * - it is about to change something: what that depends on may be out of date; 2 */
static int score_of(const struct darn_know *know, const struct darn_known_place *place)
{
    const struct darn_known_object *object =
        place->object ? darn_know_object(know, place->object - 1) : NULL;
    bool takes = place->op == DARN_STEP_LOCK || place->op == DARN_STEP_WRITELOCK ||
                 place->op == DARN_STEP_READLOCK;
    int score = 8;

    if (!place->others)
        return 0;
    if (place->op == DARN_STEP_START)
        return 3;
    if (!object || !darn_know_conflicts(object))
        return 1;
    if (place->op == DARN_STEP_UNLOCK || place->op == DARN_STEP_RWUNLOCK)
        return 2;
    if (place->later)
        score += 6;
    if (place->locks == 0 || takes)
        score += 4;
    if (place->amid)
        score += 2;
    if (place->op == DARN_STEP_WRITE || place->op == DARN_STEP_UPDATE)
        score += 2;
    if (object->memory && object->locked_once && object->lock_count > 0)
        score -= 8;
    return score;
}

static int compare(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    if (x->score != y->score)
        return x->score < y->score ? 1 : -1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static void bring_up_to_date(struct darn_search_hold *hold, const struct darn_know *know)
{
    struct ranked *order;
    int *scores;
    size_t count = 0;

    if (hold->judged == know->runs)
        return;
    hold->order.count = 0;
    darn_array_reach(&hold->tried, know->places.count, sizeof(uint8_t));
    darn_array_reach(&hold->scores, know->places.count, sizeof(int));
    darn_array_reach(&hold->order, know->places.count, sizeof(struct ranked));
    order = hold->order.at;
    scores = hold->scores.at;
    for (uint32_t i = 0; i < know->places.count; i++) {
        int score = score_of(know, darn_know_place(know, i));

        scores[i] = score;
        if (score > 0)
            order[count++] = (struct ranked){i, score};
    }
    hold->order.count = count;
    if (count)
        qsort(order, count, sizeof(*order), compare);
    hold->judged = know->runs;
    hold->done = 0;
}

static void hold_at(struct darn_task *task, const struct darn_known_place *place, uint8_t how)
{
    struct darn_aim *aim = &task->plan.aims[task->plan.aim_count++];

    task->plan.kind = DARN_STRATEGY_AIM;
    aim->kind = how == HELD_ALL ? DARN_AIM_HOLD : DARN_AIM_HOLD_ONE;
    aim->place = place->place;
    if (how != HELD_ALL)
        aim->other = place->threads[how == HELD_LAST] - 1;
}

/* The number of the thread stands for what it does: of places in the same code not one after the
 * other is tried. */
static uint32_t role_of(const struct darn_known_place *place)
{
    return place->threads[0] % DARN_HOLD_ROLES;
}

/* The best place at which this was not done yet; NULL when there is none. It counts as done. */
static const struct darn_known_place *next_place(struct darn_search_hold *hold,
                                                 const struct darn_know *know, uint8_t how)
{
    const struct ranked *order = hold->order.at;
    uint8_t *tried = hold->tried.at;
    uint32_t *tries = hold->tries[how == PARKED];
    const struct darn_known_place *best = NULL;
    uint32_t number = 0;
    int best_score = 0;

    for (size_t i = 0; i < hold->order.count && (!best || order[i].score > best_score); i++) {
        const struct darn_known_place *place = darn_know_place(know, order[i].place);
        int score = order[i].score - (int)tries[role_of(place)] * TRIED;

        if (tried[order[i].place] & how || (best && score <= best_score))
            continue;
        best = place;
        best_score = score;
        number = order[i].place;
    }
    if (best) {
        tried[number] |= how;
        tries[role_of(best)]++;
    }
    return best;
}

static bool hold_next(struct darn_search_hold *hold, const struct darn_know *know,
                      struct darn_task *task, uint8_t how)
{
    const struct darn_known_place *place;

    do
        place = next_place(hold, know, how);
    while (place && how != HELD_ALL && place->threads[0] == place->threads[1]);
    if (place)
        hold_at(task, place, how);
    return place != NULL;
}

bool darn_hold_park(struct darn_search_hold *hold, const struct darn_know *know,
                    struct darn_park *park, struct darn_task *task)
{
    const struct darn_known_place *place;

    bring_up_to_date(hold, know);
    do
        place = next_place(hold, know, PARKED);
    while (place && !darn_park_give(park, place->place, task));
    return place != NULL;
}

struct scored {
    const struct darn_know *know;
    const int *scores;
};

/* Only what is above the promise counts: the better ones shall stand out. */
static int score_to_park(const void *data, uint64_t place)
{
    const struct scored *scored = data;
    size_t number = darn_know_find(scored->know, place);

    return number == SIZE_MAX ? 0 : scored->scores[number] - PROMISE;
}

bool darn_hold_mix(struct darn_search_hold *hold, const struct darn_know *know,
                   struct darn_park *park, struct darn_task *task)
{
    struct scored scored = {.know = know};

    bring_up_to_date(hold, know);
    scored.scores = hold->scores.at;
    for (int tries = 0; tries < MIX_TRIES; tries++) {
        if (darn_park_mix(park, score_to_park, &scored, hold->mixes++ ? &hold->random : NULL, task))
            return true;
    }
    return false;
}

/* Several places at once, the better ones more often. */
static void hold_some(struct darn_search_hold *hold, const struct darn_know *know,
                      struct darn_task *task)
{
    static const uint8_t hows[] = {HELD_ALL, HELD_ALL, HELD_FIRST, HELD_LAST};
    const struct ranked *order = hold->order.at;
    uint32_t count = 1 + darn_random_below(&hold->random, 3);

    while (count-- > 0) {
        uint32_t a = darn_random_below(&hold->random, (uint32_t)hold->order.count);
        uint32_t b = darn_random_below(&hold->random, (uint32_t)hold->order.count);

        hold_at(task, darn_know_place(know, order[a < b ? a : b].place),
                hows[darn_random_below(&hold->random, 4)]);
    }
    if (darn_random_below(&hold->random, 2))
        task->plan.depth = 1 + darn_random_below(&hold->random, 2);
}

bool darn_hold_fresh(struct darn_search_hold *hold, const struct darn_know *know)
{
    const struct ranked *order;
    const uint8_t *tried;

    bring_up_to_date(hold, know);
    order = hold->order.at;
    tried = hold->tried.at;
    while (hold->done < hold->order.count && tried[order[hold->done].place] & HELD_ALL)
        hold->done++;
    return hold->done < hold->order.count && order[hold->done].score >= PROMISE;
}

bool darn_hold_next(struct darn_search_hold *hold, const struct darn_know *know,
                    struct darn_task *task)
{
    bring_up_to_date(hold, know);
    if (!hold->order.count)
        return false;
    if (!hold_next(hold, know, task, HELD_ALL) && !hold_next(hold, know, task, HELD_FIRST) &&
        !hold_next(hold, know, task, HELD_LAST))
        hold_some(hold, know, task);
    return true;
}
