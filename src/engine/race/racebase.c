#include "engine/race/racebase.h"

bool darn_racebase_open(struct darn_racebase *base, const struct darn_engine_config *config,
                        const struct darn_shadow_type *type,
                        size_t (*more)(const struct darn_racebase *base))
{
    *base = (struct darn_racebase){.more = more};
    if (config)
        base->config = *config;
    base->sets = darn_locksets_create();
    base->held = base->sets ? darn_held_create(base->sets) : NULL;
    base->pairs = darn_pairs_create(&base->config);
    base->shadow = darn_shadow_create(type);
    return base->held && base->pairs && base->shadow;
}

void darn_racebase_close(struct darn_racebase *base)
{
    if (base->shadow)
        darn_shadow_destroy(base->shadow);
    if (base->pairs)
        darn_pairs_destroy(base->pairs);
    darn_held_destroy(base->held);
    darn_locksets_destroy(base->sets);
}

static size_t memory_of(const struct darn_racebase *base)
{
    return base->more(base) + darn_locksets_memory(base->sets) + darn_held_memory(base->held) +
           darn_pairs_memory(base->pairs) + darn_shadow_memory(base->shadow);
}

void darn_racebase_measure(struct darn_racebase *base)
{
    size_t memory = memory_of(base);

    if (base->peak < memory)
        base->peak = memory;
}

void darn_racebase_finish(void *state)
{
    darn_racebase_measure(state);
}

const struct darn_prediction *darn_racebase_predictions(const void *state, size_t *count)
{
    const struct darn_racebase *base = state;

    return darn_pairs_predictions(base->pairs, count);
}

uint64_t darn_racebase_dynamic(const void *state)
{
    const struct darn_racebase *base = state;

    return darn_pairs_dynamic(base->pairs);
}

struct darn_engine_cost darn_racebase_cost(const void *state)
{
    const struct darn_racebase *base = state;

    return (struct darn_engine_cost){.memory = memory_of(base), .peak = base->peak};
}

static void add_step(struct darn_racebase *base, struct darn_prediction *prediction,
                     const struct darn_event *event, uint32_t holding)
{
    struct darn_prediction_step *step = darn_prediction_add(prediction, event);

    if (step)
        darn_holding_fill(base->held, holding, step);
}

void darn_racebase_report(struct darn_racebase *base, uint64_t address,
                          const struct darn_event *earlier, uint32_t earlier_holding,
                          const struct darn_event *later, uint32_t later_holding)
{
    struct darn_prediction *prediction =
        darn_pairs_see(base->pairs, DARN_PREDICTS_RACE, earlier->site, later->site, address);

    if (!prediction)
        return;
    add_step(base, prediction, earlier, earlier_holding);
    add_step(base, prediction, later, later_holding);
}
