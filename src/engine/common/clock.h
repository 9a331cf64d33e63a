/*
 * Vector clocks (Letko 2.1.1) and epochs (FastTrack), made to be shared.
 *
 * Threads that live side by side have different *slots*, small numbers from 0 on (slots.h). A
 * slot's time starts at 1 and goes up whenever its thread hands on what it knows. An *epoch* is a
 * slot and a time: it stands for all that the thread did at that time. A *clock* says up to which
 * time each slot is known.
 *
 * A *stamp* is a clock as one thread has it: the thread's own time is kept outside the vector, so
 * that a release gives away a reference to the vector and goes on with the next time, and nothing
 * is copied. A vector that has two owners is copied when one of them learns something new.
 *
 * No time is handed on twice: a stamp is the only one of its slot and time. So whoever knows that
 * epoch has learnt everything in the stamp, and acquiring it again costs one comparison. Where this
 * cannot be kept up (slots.h says when), `careful` is set and every acquisition looks at all slots.
 */
#ifndef DARN_ENGINE_CLOCK_H
#define DARN_ENGINE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Slot in the upper half, time in the lower; 0 is no epoch. */
typedef uint64_t darn_epoch;

static inline darn_epoch darn_epoch_make(uint32_t slot, uint32_t time)
{
    return (uint64_t)slot << 32 | time;
}

static inline uint32_t darn_epoch_slot(darn_epoch epoch)
{
    return (uint32_t)(epoch >> 32);
}

static inline uint32_t darn_epoch_time(darn_epoch epoch)
{
    return (uint32_t)epoch;
}

struct darn_clock {
    uint32_t refs;
    uint32_t count; /* slots; of those behind them nothing is known */
    uint32_t order; /* room for 1 << order */
    uint32_t times[];
};

/* Where clocks come from and go back to. A zeroed struct is ready for use. */
struct darn_clocks {
    struct darn_clock *free[32]; /* by order */
    size_t memory;
    bool careful;
    uint64_t exhausted; /* times that would not fit into 32 bits */
};

void darn_clocks_free(struct darn_clocks *clocks);

/* For stamps that gather what several threads know. */
#define DARN_SLOT_NONE UINT32_MAX

/* A zeroed stamp knows nothing and belongs to nobody. */
struct darn_stamp {
    struct darn_clock *clock; /* one reference is ours; NULL: knows no other slot */
    uint32_t slot;
    uint32_t time;
};

static inline uint32_t darn_clock_time(const struct darn_clock *clock, uint32_t slot)
{
    return clock && slot < clock->count ? clock->times[slot] : 0;
}

/* Whether what was done in this epoch happened before the moment of the stamp. */
static inline bool darn_stamp_knows(const struct darn_stamp *stamp, darn_epoch epoch)
{
    uint32_t slot = darn_epoch_slot(epoch);

    if (slot == stamp->slot)
        return darn_epoch_time(epoch) <= stamp->time;
    return darn_epoch_time(epoch) <= darn_clock_time(stamp->clock, slot);
}

static inline darn_epoch darn_stamp_epoch(const struct darn_stamp *stamp)
{
    return darn_epoch_make(stamp->slot, stamp->time);
}

/* What a thread with the clock `now` hands on; its next time begins. When there is no next one,
 * what the thread does later counts as handed on, too: races may be missed, none is made up. */
struct darn_stamp darn_stamp_take(struct darn_clocks *clocks, struct darn_stamp *now);

struct darn_stamp darn_stamp_copy(const struct darn_stamp *stamp);
void darn_stamp_drop(struct darn_clocks *clocks, struct darn_stamp *stamp);

/* `now` learns all that the stamp knows. `acquire` is for stamps of darn_stamp_take, and relies on
 * their being unique; `join` looks at every slot. */
void darn_stamp_acquire(struct darn_clocks *clocks, struct darn_stamp *now,
                        const struct darn_stamp *stamp);
void darn_stamp_join(struct darn_clocks *clocks, struct darn_stamp *now,
                     const struct darn_stamp *stamp);

/* Several stamps, at most one for each slot: the later one of a slot knows all that the earlier one
 * did. A zeroed struct has none. */
struct darn_stamps_item {
    struct darn_stamp stamp;
    uint32_t thread; /* its number */
    uint32_t number; /* the user's own */
};

struct darn_stamps {
    uint32_t count, capacity;
    struct darn_stamps_item *items;
};

/* The stamp is the set's from then on. */
void darn_stamps_put(struct darn_clocks *clocks, struct darn_stamps *set,
                     const struct darn_stamps_item *item);
void darn_stamps_acquire(struct darn_clocks *clocks, struct darn_stamp *now,
                         const struct darn_stamps *set);
void darn_stamps_free(struct darn_clocks *clocks, struct darn_stamps *set);

#endif
