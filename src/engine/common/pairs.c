#include "engine/common/pairs.h"

#include "base/grow.h"
#include "base/hash.h"
#include "base/htable.h"

/* Beyond this, places are asked for each time: ids of sites are small unless a trace is damaged. */
#define CACHED_PLACES ((uint32_t)1 << 20)

/* What tells one prediction from others, and how often it was seen: apart from the predictions,
 * which are too large to be walked through. */
struct seen {
    uint64_t key;
    uint64_t target; /* 0 when the places are known */
    uint64_t count;
    enum darn_prediction_kind kind;
};

struct darn_pairs {
    struct darn_engine_config config;
    struct darn_htable table; /* of predictions + 1 */
    struct darn_prediction *predictions;
    struct seen *seen; /* of each prediction */
    size_t count, capacity, seen_capacity;
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
    return pairs;
}

void darn_pairs_destroy(struct darn_pairs *pairs)
{
    if (!pairs)
        return;
    darn_htable_free(&pairs->table);
    free(pairs->predictions);
    free(pairs->seen);
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

static bool is_seen(const struct seen *seen, enum darn_prediction_kind kind, uint64_t key,
                    uint64_t target)
{
    return seen->key == key && seen->target == target && seen->kind == kind;
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
    pairs->seen =
        darn_grow(pairs->seen, &pairs->seen_capacity, pairs->count + 1, sizeof(*pairs->seen));
    return &pairs->predictions[pairs->count++];
}

static struct darn_prediction *see(struct darn_pairs *pairs, enum darn_prediction_kind kind,
                                   uint64_t key, uint64_t distinct, uint64_t target)
{
    uint32_t hash = darn_spread(darn_fold(distinct, key)), known;
    struct darn_prediction *prediction;
    size_t at = hash;

    pairs->dynamic++;
    while ((known = darn_htable_next(&pairs->table, hash, &at))) {
        if (is_seen(&pairs->seen[known - 1], kind, key, distinct)) {
            pairs->seen[known - 1].count++;
            return NULL;
        }
    }
    prediction = new_prediction(pairs);
    pairs->seen[pairs->count - 1] = (struct seen){key, distinct, 1, kind};
    darn_htable_add(&pairs->table, hash, (uint32_t)pairs->count);
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
        pairs->predictions[i].count = pairs->seen[i].count;
    *count = pairs->count;
    return pairs->predictions;
}

uint64_t darn_pairs_dynamic(const struct darn_pairs *pairs)
{
    return pairs->dynamic;
}

size_t darn_pairs_memory(const struct darn_pairs *pairs)
{
    return sizeof(*pairs) + darn_htable_memory(&pairs->table) +
           pairs->capacity * sizeof(*pairs->predictions) +
           pairs->seen_capacity * sizeof(*pairs->seen) +
           pairs->place_capacity * sizeof(*pairs->places);
}
