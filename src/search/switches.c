#include "search/switches.h"

#include <stdbool.h>
#include <stdlib.h>

/* The order of the list. */
enum { PREEMPTION, SWITCH, WAKE, STAY, KINDS, NOTHING };

/* Goes through the steps of a run. */
struct walk {
    uint32_t *own; /* by thread: steps so far */
    uint32_t threads;
    uint32_t last, last_own;
    uint8_t last_op;
    bool begun;
};

static bool begin(struct walk *walk, const struct darn_step *steps, size_t count)
{
    *walk = (struct walk){0};
    for (size_t i = 0; i < count; i++)
        if (steps[i].thread >= walk->threads)
            walk->threads = steps[i].thread + 1;
    walk->own = calloc((size_t)walk->threads + 1, sizeof(*walk->own));
    return walk->own;
}

/* Who does this gives way to others, if nobody says otherwise; of a try, if it fails. */
static bool gives_way(uint8_t op)
{
    return op == DARN_STEP_YIELD || op == DARN_STEP_SLEEP || op == DARN_STEP_TRYLOCK ||
           op == DARN_STEP_WAIT || op == DARN_STEP_FINISH;
}

/* What the step is, with the switch that stands for it. */
static int visit(struct walk *walk, const struct darn_step *step, struct darn_switch *to)
{
    int kind = NOTHING;

    if (step->op == DARN_STEP_WAKE) {
        *to = (struct darn_switch){walk->last, walk->last_own, step->thread, 1};
        return walk->begun ? WAKE : NOTHING;
    }
    if (walk->begun && step->thread != walk->last) {
        *to = (struct darn_switch){walk->last, walk->last_own + 1, step->thread, 0};
        kind = step->flags & DARN_STEP_PREEMPTS ? PREEMPTION : SWITCH;
    } else if (walk->begun && !(step->flags & DARN_STEP_ALONE) &&
               (gives_way(step->op) || gives_way(walk->last_op))) {
        *to = (struct darn_switch){walk->last, walk->last_own + 1, step->thread, 0};
        kind = STAY;
    }
    walk->begun = true;
    walk->last = step->thread;
    walk->last_op = step->op;
    walk->last_own = walk->own[step->thread]++;
    return kind;
}

struct darn_switch *darn_switches_of(const struct darn_step *steps, size_t step_count,
                                     size_t *count)
{
    struct darn_switch *list = calloc(step_count + 1, sizeof(*list)), one;
    struct walk walk;

    *count = 0;
    for (int kind = 0; list && kind < KINDS; kind++) {
        if (!begin(&walk, steps, step_count))
            break;
        for (size_t i = 0; i < step_count; i++)
            if (visit(&walk, &steps[i], &one) == kind)
                list[(*count)++] = one;
        free(walk.own);
    }
    if (*count)
        return list;
    free(list);
    return NULL;
}

size_t darn_switches_step(const struct darn_step *steps, size_t step_count,
                          const struct darn_switch *at)
{
    uint32_t own = 0;

    for (size_t i = 0; i < step_count; i++) {
        if (steps[i].op == DARN_STEP_WAKE)
            continue;
        if (own == at->own && i > 0)
            return i;
        own += steps[i].thread == at->thread;
    }
    return step_count;
}

struct darn_switch_count darn_switches_count(const struct darn_step *steps, size_t step_count)
{
    struct darn_switch_count count = {0, 0};
    const struct darn_step *last = NULL;

    for (size_t i = 0; i < step_count; i++) {
        if (steps[i].op == DARN_STEP_WAKE)
            continue;
        if (last && steps[i].thread != last->thread) {
            count.switches++;
            count.preemptions += (steps[i].flags & DARN_STEP_PREEMPTS) != 0;
        }
        last = &steps[i];
    }
    return count;
}
