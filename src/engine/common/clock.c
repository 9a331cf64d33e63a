#include "engine/common/clock.h"

#include <string.h>

#include "base/grow.h"

#define SMALLEST_ORDER 3u

static size_t bytes_of(uint32_t order)
{
    return sizeof(struct darn_clock) + ((size_t)1 << order) * sizeof(uint32_t);
}

static struct darn_clock *make(struct darn_clocks *clocks, uint32_t count)
{
    uint32_t order = SMALLEST_ORDER;
    struct darn_clock *clock;

    while ((uint32_t)1 << order < count)
        order++;
    clock = clocks->free[order];
    if (clock) {
        memcpy(&clocks->free[order], clock->times, sizeof(clock));
    } else {
        clock = darn_need_memory(malloc(bytes_of(order)));
        clocks->memory += bytes_of(order);
        clock->order = order;
    }
    clock->refs = 1;
    clock->count = count;
    return clock;
}

/* The free ones are linked through their times: they have room for a pointer. */
static void drop(struct darn_clocks *clocks, struct darn_clock *clock)
{
    if (!clock || --clock->refs)
        return;
    memcpy(clock->times, &clocks->free[clock->order], sizeof(clock));
    clocks->free[clock->order] = clock;
}

void darn_clocks_free(struct darn_clocks *clocks)
{
    for (size_t i = 0; i < sizeof(clocks->free) / sizeof(clocks->free[0]); i++) {
        while (clocks->free[i]) {
            struct darn_clock *clock = clocks->free[i];

            memcpy(&clocks->free[i], clock->times, sizeof(clock));
            free(clock);
        }
    }
    *clocks = (struct darn_clocks){0};
}

struct darn_stamp darn_stamp_take(struct darn_clocks *clocks, struct darn_stamp *now)
{
    struct darn_stamp stamp = darn_stamp_copy(now);

    if (now->time < UINT32_MAX) {
        now->time++;
    } else {
        clocks->careful = true;
        clocks->exhausted++;
    }
    return stamp;
}

struct darn_stamp darn_stamp_copy(const struct darn_stamp *stamp)
{
    if (stamp->clock)
        stamp->clock->refs++;
    return *stamp;
}

void darn_stamp_drop(struct darn_clocks *clocks, struct darn_stamp *stamp)
{
    drop(clocks, stamp->clock);
    *stamp = (struct darn_stamp){0};
}

/* Makes the vector ours alone, with at least `count` slots. */
static void own(struct darn_clocks *clocks, struct darn_stamp *now, uint32_t count)
{
    struct darn_clock *old = now->clock;
    uint32_t known = old ? old->count : 0;

    if (count < known)
        count = known;
    if (!old || old->refs > 1 || count > (uint32_t)1 << old->order) {
        now->clock = make(clocks, count);
        if (known)
            memcpy(now->clock->times, old->times, known * sizeof(old->times[0]));
        drop(clocks, old);
    }
    memset(now->clock->times + known, 0, (count - known) * sizeof(now->clock->times[0]));
    now->clock->count = count;
}

static void learn(struct darn_clocks *clocks, struct darn_stamp *now, uint32_t slot, uint32_t time)
{
    if (slot == now->slot || !time || darn_clock_time(now->clock, slot) >= time)
        return;
    own(clocks, now, slot + 1);
    now->clock->times[slot] = time;
}

/* Whether a knows something that b does not. No early exit: the compiler makes vector instructions
 * of the loop. */
static bool has_news(const struct darn_clock *a, const struct darn_clock *b)
{
    uint32_t both = a->count < b->count ? a->count : b->count;
    uint32_t news = a->count > b->count;

    for (uint32_t i = 0; i < both; i++)
        news |= a->times[i] > b->times[i];
    return news;
}

static void take_over(struct darn_clocks *clocks, struct darn_stamp *now, struct darn_clock *others)
{
    others->refs++;
    drop(clocks, now->clock);
    now->clock = others;
}

void darn_stamp_join(struct darn_clocks *clocks, struct darn_stamp *now,
                     const struct darn_stamp *stamp)
{
    struct darn_clock *others = stamp->clock;

    /* Its own slot may be among the others: the time outside the vector is the one that counts. */
    if (others && others != now->clock) {
        if (!now->clock || !has_news(now->clock, others)) {
            take_over(clocks, now, others);
        } else if (has_news(others, now->clock)) {
            own(clocks, now, others->count);
            for (uint32_t i = 0; i < others->count; i++) {
                if (now->clock->times[i] < others->times[i])
                    now->clock->times[i] = others->times[i];
            }
        }
    }
    learn(clocks, now, stamp->slot, stamp->time);
}

void darn_stamp_acquire(struct darn_clocks *clocks, struct darn_stamp *now,
                        const struct darn_stamp *stamp)
{
    if (!stamp->time)
        return;
    if (clocks->careful || !darn_stamp_knows(now, darn_stamp_epoch(stamp)))
        darn_stamp_join(clocks, now, stamp);
}

/* The two are of one slot; which of them is kept, `old` is. */
static void put_again(struct darn_clocks *clocks, struct darn_stamps_item *old,
                      const struct darn_stamps_item *item)
{
    struct darn_stamps_item later = *item, earlier = *old;

    if (later.stamp.time < earlier.stamp.time) {
        later = *old;
        earlier = *item;
    }
    if (clocks->careful)
        darn_stamp_join(clocks, &later.stamp, &earlier.stamp);
    *old = later;
    darn_stamp_drop(clocks, &earlier.stamp);
}

void darn_stamps_put(struct darn_clocks *clocks, struct darn_stamps *set,
                     const struct darn_stamps_item *item)
{
    size_t capacity = set->capacity;

    for (uint32_t i = 0; i < set->count; i++) {
        if (set->items[i].stamp.slot == item->stamp.slot) {
            put_again(clocks, &set->items[i], item);
            return;
        }
    }
    if (set->count == capacity) {
        capacity = capacity ? 2 * capacity : 1;
        set->items = darn_need_memory(reallocarray(set->items, capacity, sizeof(*set->items)));
        clocks->memory += (capacity - set->capacity) * sizeof(*set->items);
        set->capacity = (uint32_t)capacity;
    }
    set->items[set->count++] = *item;
}

void darn_stamps_acquire(struct darn_clocks *clocks, struct darn_stamp *now,
                         const struct darn_stamps *set)
{
    for (uint32_t i = 0; i < set->count; i++)
        darn_stamp_acquire(clocks, now, &set->items[i].stamp);
}

static void clear_stamps(struct darn_clocks *clocks, struct darn_stamps *set)
{
    for (uint32_t i = 0; i < set->count; i++)
        darn_stamp_drop(clocks, &set->items[i].stamp);
    set->count = 0;
}

void darn_stamps_free(struct darn_clocks *clocks, struct darn_stamps *set)
{
    clear_stamps(clocks, set);
    clocks->memory -= set->capacity * sizeof(*set->items);
    free(set->items);
    *set = (struct darn_stamps){0};
}
