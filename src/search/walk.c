#include "search/walk.h"

#include "base/random.h"

#define TOUCHES 4096 /* of a longer run only the beginning */

struct touch {
    uint64_t object;
    uint32_t slot;
};

void darn_walk_free(struct darn_walk *walk)
{
    darn_array_free(&walk->touches);
    darn_array_free(&walk->objects);
}

static uint64_t object_of(const struct darn_step *step)
{
    return step->object & ~UINT64_C(7);
}

/* Objects that a second slot touches, once each. */
static void find_shared(struct darn_walk *walk)
{
    const struct touch *touches = walk->touches.at;
    struct darn_map first = {0};
    uint64_t *object;

    walk->objects.count = 0;
    for (size_t i = 0; i < walk->touches.count; i++) {
        bool added;
        uintptr_t *slot = darn_map_at(&first, touches[i].object, &added);

        if (added) {
            *slot = touches[i].slot + 1;
        } else if (*slot && *slot != touches[i].slot + 1) {
            *slot = 0;
            object = darn_array_add(&walk->objects, sizeof(*object));
            *object = touches[i].object;
        }
    }
    darn_map_free(&first);
}

void darn_walk_learn(struct darn_walk *walk, const struct darn_result *result,
                     const struct darn_trail *trail)
{
    for (uint32_t i = 0; i < walk->slots; i++)
        walk->steps_of[i] = 0;
    walk->slots = trail->slots;
    for (uint32_t i = 0; i < walk->slots; i++)
        walk->steps_of[i] = result->steps_of[i];
    walk->touches.count = 0;
    for (uint32_t i = 0; i < trail->count && walk->touches.count < TOUCHES; i++) {
        const struct darn_step *step = &trail->steps[i];
        struct touch *touch;

        if (!step->object || step->op >= DARN_STEP_CREATE || step->op == DARN_STEP_WAKE)
            continue;
        touch = darn_array_add(&walk->touches, sizeof(*touch));
        *touch = (struct touch){object_of(step), step->slot};
    }
    find_shared(walk);
}

void darn_walk_pct(const struct darn_coverage *coverage, uint32_t depth, struct darn_task *task)
{
    task->plan.kind = DARN_STRATEGY_PCT;
    task->plan.depth = depth;
    task->plan.length = coverage->expected_steps;
}

/* The steps of interest are those on one object, or all of them. */
void darn_walk_surw(struct darn_walk *walk, struct darn_task *task)
{
    const struct touch *touches = walk->touches.at;
    const uint64_t *objects = walk->objects.at;
    uint32_t pick = darn_random_below(&walk->random, (uint32_t)walk->objects.count + 1);

    task->plan.kind = DARN_STRATEGY_SURW;
    if (pick == walk->objects.count) {
        for (uint32_t i = 0; i < walk->slots; i++)
            task->plan.expected[i] = walk->steps_of[i];
        return;
    }
    task->plan.aims[0] = (struct darn_aim){.kind = DARN_AIM_OBJECT, .place = objects[pick]};
    task->plan.aim_count = 1;
    for (size_t i = 0; i < walk->touches.count; i++) {
        if (touches[i].object == objects[pick])
            task->plan.expected[touches[i].slot % DARN_SLOTS]++;
    }
}
