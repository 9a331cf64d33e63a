#include "runtime/order/clocks.h"

#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>

#include "runtime/os/os.h"
#include "runtime/watch/spending.h"

/* The times of slots that an object has no room for lie in rows of so many: a program of few
 * threads touches few of the pages. */
#define NEAR DARN_CLOCK_NEAR
#define ROW  16
#define ROWS ((DARN_CLOCK_SLOTS - NEAR + ROW - 1) / ROW)

static_assert(sizeof(struct darn_clock_object) == 64, "one cache line");

#define BEGUN (UINT64_C(1) << 32)
#define DONE  UINT64_C(1)

struct darn_clock_object *darn_clock_objects;
_Alignas(64) _Atomic uint64_t darn_clock_changes[DARN_CLOCK_GROUPS];
_Alignas(64) _Atomic uint64_t darn_clock_news = 1;        /* 0: nobody has looked */
static _Atomic uint32_t (*rows)[DARN_CLOCK_OBJECTS][ROW]; /* [ROWS] */

/* The own times of all slots; who has one; how many were ever used, and the next to be tried. A
 * slot is used again as late as possible: of two threads in one slot no race is seen. */
static struct {
    _Alignas(64) _Atomic uint32_t time; /* it alone writes it, and often */
    _Atomic uint32_t given;             /* so much of it others may have heard of */
} own_times[DARN_CLOCK_SLOTS];
static _Atomic bool taken[DARN_CLOCK_SLOTS];
static _Atomic uint32_t used, next_slot;

/* So many threads are told apart before a slot is used again: each costs a little in all clocks. */
#define FEW 64

bool darn_clocks_open(void)
{
    if (!darn_clock_objects)
        darn_clock_objects = darn_os_allocate(DARN_CLOCK_OBJECTS * sizeof(*darn_clock_objects));
    if (!rows)
        rows = darn_os_allocate(ROWS * sizeof(*rows));
    return darn_clock_objects && rows;
}

static inline _Atomic uint32_t *time_of(uint32_t object, uint32_t slot)
{
    if (slot < NEAR)
        return &darn_clock_objects[object].near[slot];
    return &rows[(slot - NEAR) / ROW][object][(slot - NEAR) % ROW];
}

static bool raise(_Atomic uint32_t *time, uint32_t to)
{
    uint32_t now = atomic_load_explicit(time, memory_order_relaxed);

    while (now < to) {
        if (atomic_compare_exchange_weak_explicit(time, &now, to, memory_order_release,
                                                  memory_order_relaxed))
            return true;
    }
    return false;
}

static void changed(struct darn_thread_clock *clock)
{
    atomic_fetch_add_explicit(&clock->version, 1, memory_order_relaxed);
}

static bool try_slot(uint32_t slot)
{
    bool expected = false;

    return !atomic_load_explicit(&taken[slot], memory_order_relaxed) &&
           atomic_compare_exchange_strong(&taken[slot], &expected, true);
}

static uint32_t take_slot(void)
{
    uint32_t start = atomic_fetch_add(&next_slot, 1);

    for (uint32_t i = 0; i < FEW; i++) {
        if (try_slot((start + i) % FEW))
            return (start + i) % FEW;
    }
    for (uint32_t slot = FEW; slot < DARN_CLOCK_SLOTS; slot++) {
        if (try_slot(slot))
            return slot;
    }
    return DARN_CLOCK_SLOTS;
}

void darn_clock_begin(struct darn_thread_clock *clock)
{
    uint32_t slot = take_slot();

    clock->slot = slot;
    if (slot == DARN_CLOCK_SLOTS)
        return;
    raise(&used, slot + 1);
    atomic_store_explicit(&clock->times[slot], atomic_fetch_add(&own_times[slot].time, 1) + 1,
                          memory_order_relaxed);
    changed(clock);
}

void darn_clock_end(struct darn_thread_clock *clock)
{
    if (clock->slot < DARN_CLOCK_SLOTS)
        atomic_store(&taken[clock->slot], false);
    clock->slot = DARN_CLOCK_SLOTS;
}

uint32_t darn_clock_now(struct darn_thread_clock *clock)
{
    uint32_t time;

    if (!clock->is_given)
        return atomic_load_explicit(&clock->times[clock->slot], memory_order_relaxed);
    clock->is_given = false;
    time = atomic_fetch_add_explicit(&clock->times[clock->slot], 1, memory_order_relaxed) + 1;
    raise(&own_times[clock->slot].time, time);
    changed(clock);
    return time;
}

/* An entry of a cache, as one word: a handler may come in between. */
static uint64_t entry(uint32_t object, uint32_t version)
{
    return (uint64_t)object << 32 | version;
}

/* Whether the object knows all that the clock does. */
static bool has_all(uint32_t object, const struct darn_thread_clock *clock, uint32_t count)
{
    for (uint32_t slot = 0; slot < count; slot++) {
        if (atomic_load_explicit(&clock->times[slot], memory_order_relaxed) >
            atomic_load_explicit(time_of(object, slot), memory_order_relaxed))
            return false;
    }
    return true;
}

/* There is news only because something was remembered: what it costs to pass it on is part of what
 * that costs. 0: this one is not measured. */
static uint64_t start_sample(struct darn_thread_clock *clock)
{
    return ++clock->passed % DARN_SPENDING_SAMPLE ? 0 : darn_spending_start();
}

static void end_sample(const struct darn_thread_clock *clock, uint64_t start)
{
    if (start)
        darn_spending_sampled(clock->slot, start);
}

/* The own time that others are about to hear of, perhaps for the first time. `is_given` does not
 * say so: it may be set for the next access to have another time (remembered.c). */
static uint32_t give_own(struct darn_thread_clock *clock)
{
    uint32_t time;

    if (clock->slot == DARN_CLOCK_SLOTS)
        return 0;
    time = atomic_load_explicit(&clock->times[clock->slot], memory_order_relaxed);
    if (raise(&own_times[clock->slot].given, time))
        atomic_fetch_add(&darn_clock_news, 1);
    return time;
}

/* A handler that comes in between may advance the own time: that one is not given yet. */
static void raise_all(struct darn_thread_clock *clock, uint32_t object, uint32_t count,
                      uint32_t own)
{
    for (uint32_t slot = 0; slot < count; slot++)
        raise(time_of(object, slot),
              slot == clock->slot
                  ? own
                  : atomic_load_explicit(&clock->times[slot], memory_order_relaxed));
}

void darn_clock_release(struct darn_thread_clock *clock, uint64_t key)
{
    uint32_t object = darn_clock_object(key);
    uint32_t version = atomic_load_explicit(&clock->version, memory_order_relaxed);
    uint32_t count = atomic_load_explicit(&used, memory_order_relaxed), own;
    uint64_t start;

    if (darn_clock_has_given(clock, key))
        return;
    start = start_sample(clock);
    clock->is_given = true;
    own = give_own(clock);
    if (!has_all(object, clock, count)) {
        atomic_fetch_add(&darn_clock_changes[object / 32], BEGUN);
        atomic_fetch_add(&darn_clock_objects[object].version, BEGUN);
        raise_all(clock, object, count, own);
        atomic_fetch_add(&darn_clock_objects[object].version, DONE);
        atomic_fetch_add(&darn_clock_changes[object / 32], DONE);
    }
    darn_clock_set_add(&clock->given, object, version);
    end_sample(clock, start);
}

/* Whether it knows all that was given, if that may have become true since it looked. What is given
 * meanwhile is followed by other news, and only then by what others get. */
static void look_at_all(struct darn_thread_clock *clock, bool has_learned)
{
    uint64_t news = atomic_load_explicit(&darn_clock_news, memory_order_acquire);
    uint32_t count = atomic_load_explicit(&used, memory_order_acquire);

    if (!has_learned && atomic_load_explicit(&clock->looked, memory_order_relaxed) == news)
        return;
    atomic_store_explicit(&clock->looked, news, memory_order_relaxed);
    for (uint32_t slot = 0; slot < count; slot++) {
        if (atomic_load_explicit(&own_times[slot].given, memory_order_acquire) >
            atomic_load_explicit(&clock->times[slot], memory_order_relaxed))
            return;
    }
    atomic_store_explicit(&clock->complete, news, memory_order_relaxed);
}

void darn_clock_acquire(struct darn_thread_clock *clock, uint64_t key)
{
    uint32_t object = darn_clock_object(key), count;
    uint64_t changes = atomic_load_explicit(&darn_clock_changes[object / 32], memory_order_acquire);
    uint64_t version, start;
    bool any = false;

    if (darn_clock_has_seen(clock, key))
        return;
    start = start_sample(clock);
    version = atomic_load_explicit(&darn_clock_objects[object].version, memory_order_acquire);
    count = atomic_load_explicit(&used, memory_order_relaxed);
    for (uint32_t slot = 0; slot < count; slot++) {
        uint32_t time = atomic_load_explicit(time_of(object, slot), memory_order_relaxed);

        any |= time && raise(&clock->times[slot], time);
    }
    if (any)
        changed(clock);
    look_at_all(clock, any);
    end_sample(clock, start);
    if (!darn_clock_is_whole(version))
        return;
    atomic_store_explicit(&clock->seen[object % DARN_CLOCK_CACHE], entry(object, (uint32_t)version),
                          memory_order_relaxed);
    if (darn_clock_is_whole(changes))
        darn_clock_set_add(&clock->all_seen, object, (uint32_t)changes);
}

void darn_clock_acquire_all(struct darn_thread_clock *clock)
{
    uint32_t count = atomic_load_explicit(&used, memory_order_acquire);
    bool any = false, is_news = false;

    for (uint32_t slot = 0; slot < count; slot++) {
        uint32_t time = atomic_load_explicit(&own_times[slot].time, memory_order_acquire);

        if (slot == clock->slot ||
            atomic_load_explicit(&clock->times[slot], memory_order_relaxed) >= time)
            continue;
        is_news |= raise(&own_times[slot].given, time); /* the thread may pass it on */
        any |= raise(&clock->times[slot], time);
    }
    if (is_news)
        atomic_fetch_add(&darn_clock_news, 1);
    if (any)
        changed(clock);
}

uint64_t darn_clock_count_changes(void)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < DARN_CLOCK_GROUPS; i++)
        sum += (uint32_t)atomic_load_explicit(&darn_clock_changes[i], memory_order_relaxed);
    return sum;
}

void darn_clocks_after_fork(const struct darn_thread_clock *own)
{
    /* Who was about to change an object is gone; of that one nobody will ever have seen it all. */
    for (uint32_t i = 0; i < DARN_CLOCK_GROUPS; i++) {
        uint64_t begun = (atomic_load(&darn_clock_changes[i]) >> 32) + 1;

        atomic_store(&darn_clock_changes[i], begun << 32 | (uint32_t)begun);
    }
    for (uint32_t slot = 0; slot < DARN_CLOCK_SLOTS; slot++)
        atomic_store_explicit(&taken[slot], own && slot == own->slot, memory_order_relaxed);
}
