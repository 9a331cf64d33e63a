#include "engine/common/pairs.h"

#include "engine/common/grow.h"

/* Beyond this, places are asked for each time: ids of sites are small unless a trace is damaged. */
#define CACHED_PLACES ((uint32_t)1 << 20)

struct slot {
    uint64_t key;
    uint64_t target; /* 0 when the places are known */
    uint32_t index;  /* of the prediction + 1; 0: empty */
};

struct darn_pairs {
    struct darn_engine_config config;
    struct slot *slots;
    size_t slot_capacity; /* a power of two */
    struct darn_prediction *predictions;
    uint64_t *counts; /* apart from the predictions, which are too large to be walked through */
    size_t count, capacity, count_capacity;
    uint32_t *places; /* place + 1; 0: not asked yet */
    size_t place_capacity;
    uint64_t dynamic;
};

struct darn_pairs *darn_pairs_create(const struct darn_engine_config *config)
{
    struct darn_pairs *pairs = calloc(1, sizeof(*pairs));

    if (!pairs)
        return NULL;
    pairs->config = *config;
    pairs->slot_capacity = 64;
    pairs->slots = calloc(pairs->slot_capacity, sizeof(*pairs->slots));
    if (!pairs->slots) {
        free(pairs);
        return NULL;
    }
    return pairs;
}

void darn_pairs_destroy(struct darn_pairs *pairs)
{
    if (!pairs)
        return;
    free(pairs->slots);
    free(pairs->predictions);
    free(pairs->counts);
    free(pairs->places);
    free(pairs);
}

uint32_t darn_pairs_place(struct darn_pairs *pairs, uint32_t site)
{
    uint32_t place;

    if (!pairs->config.place_of || !site)
        return site;
    if (site < pairs->place_capacity && pairs->places[site])
        return pairs->places[site] - 1;
    place = pairs->config.place_of(pairs->config.context, site);
    if (site < CACHED_PLACES && place < UINT32_MAX) {
        pairs->places = darn_grow(pairs->places, &pairs->place_capacity, (size_t)site + 1,
                                  sizeof(*pairs->places));
        pairs->places[site] = place + 1;
    }
    return place;
}

/* The slot of this combination, or the empty one where it belongs. */
static struct slot *slot_of(const struct darn_pairs *pairs, enum darn_prediction_kind kind,
                            uint64_t key, uint64_t target)
{
    size_t mask = pairs->slot_capacity - 1;
    size_t i = darn_spread(key ^ target * UINT64_C(0xff51afd7ed558ccd)) & mask;

    for (; pairs->slots[i].index; i = (i + 1) & mask) {
        const struct slot *slot = &pairs->slots[i];

        if (slot->key == key && slot->target == target &&
            pairs->predictions[slot->index - 1].kind == kind)
            break;
    }
    return &pairs->slots[i];
}

static void grow_slots(struct darn_pairs *pairs)
{
    struct slot *old = pairs->slots;
    size_t old_capacity = pairs->slot_capacity;

    pairs->slot_capacity *= 2;
    pairs->slots = darn_need_memory(calloc(pairs->slot_capacity, sizeof(*pairs->slots)));
    for (size_t i = 0; i < old_capacity; i++) {
        if (old[i].index)
            *slot_of(pairs, pairs->predictions[old[i].index - 1].kind, old[i].key, old[i].target) =
                old[i];
    }
    free(old);
}

/* Predictions have room for many steps and mostly two of them: what is not used is never written,
 * so that most of it takes no memory. */
static struct darn_prediction *new_prediction(struct darn_pairs *pairs)
{
    if (pairs->count == pairs->capacity) {
        pairs->capacity = pairs->capacity ? 2 * pairs->capacity : 16;
        pairs->predictions = darn_need_memory(
            reallocarray(pairs->predictions, pairs->capacity, sizeof(*pairs->predictions)));
    }
    pairs->counts =
        darn_grow(pairs->counts, &pairs->count_capacity, pairs->count + 1, sizeof(*pairs->counts));
    pairs->counts[pairs->count] = 1;
    return &pairs->predictions[pairs->count++];
}

static struct darn_prediction *see(struct darn_pairs *pairs, enum darn_prediction_kind kind,
                                   uint64_t key, uint64_t distinct, uint64_t target)
{
    struct slot *slot = slot_of(pairs, kind, key, distinct);
    struct darn_prediction *prediction;

    pairs->dynamic++;
    if (slot->index) {
        pairs->counts[slot->index - 1]++;
        return NULL;
    }
    if (2 * (pairs->count + 1) > pairs->slot_capacity) {
        grow_slots(pairs);
        slot = slot_of(pairs, kind, key, distinct);
    }
    prediction = new_prediction(pairs);
    *slot = (struct slot){key, distinct, (uint32_t)pairs->count};
    prediction->kind = kind;
    prediction->count = 1;
    prediction->target = target;
    prediction->step_count = 0;
    return prediction;
}

struct darn_prediction *darn_pairs_see(struct darn_pairs *pairs, enum darn_prediction_kind kind,
                                       uint32_t site_a, uint32_t site_b, uint64_t target)
{
    uint32_t a = darn_pairs_place(pairs, site_a), b = darn_pairs_place(pairs, site_b);
    uint64_t key = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;

    return see(pairs, kind, key, a && b ? 0 : target, target);
}

struct darn_prediction *darn_pairs_see_key(struct darn_pairs *pairs, enum darn_prediction_kind kind,
                                           uint64_t key, uint64_t target)
{
    return see(pairs, kind, key, 0, target);
}

struct darn_prediction_step *darn_prediction_add(struct darn_prediction *prediction,
                                                 const struct darn_event *event)
{
    struct darn_prediction_step *step;

    if (prediction->step_count == DARN_PREDICTION_STEPS)
        return NULL;
    step = &prediction->steps[prediction->step_count++];
    step->event = *event;
    step->unit = 0;
    step->lock_count = 0;
    return step;
}

const struct darn_prediction *darn_pairs_predictions(const struct darn_pairs *pairs, size_t *count)
{
    for (size_t i = 0; i < pairs->count; i++)
        pairs->predictions[i].count = pairs->counts[i];
    *count = pairs->count;
    return pairs->predictions;
}

uint64_t darn_pairs_dynamic(const struct darn_pairs *pairs)
{
    return pairs->dynamic;
}

size_t darn_pairs_memory(const struct darn_pairs *pairs)
{
    return sizeof(*pairs) + pairs->slot_capacity * sizeof(*pairs->slots) +
           pairs->capacity * sizeof(*pairs->predictions) +
           pairs->count_capacity * sizeof(*pairs->counts) +
           pairs->place_capacity * sizeof(*pairs->places);
}
