#include "runtime/order/remembered.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "runtime/order/spans.h"
#include "runtime/order/touched.h"
#include "runtime/os/os.h"
#include "runtime/report/counters.h"
#include "runtime/watch/beginning.h"
#include "runtime/watch/spending.h"

/* A bucket is two cache lines: what is remembered of eight bytes, and of others with the same hash.
 */
#define CELLS DARN_MEMORY_CELLS

struct bucket {
    _Atomic uint32_t lock; /* 0: free; else the slot of who holds it, + 1 */
    uint32_t next;         /* from this cell on it is looked for one that goes */
    struct darn_memory_cell cells[CELLS];
};

static_assert(sizeof(struct bucket) == 128, "two cache lines");

/* For each cache line of the program that is remembered there are eight buckets; four lines share
 * those of three, so that everything here stays below 34 MB. */
#define LINES_BITS 15
#define BUCKETS    ((UINT32_C(1) << LINES_BITS) * 8 / 4 * 3) /* 24 MB */

static struct bucket *buckets;

#define MOST_LINES (UINT64_C(1) << 24) /* 1 GB; of more, everything is forgotten */

/*
 * Whoever holds a bucket does so for a few instructions, unless it is taken off its processor: it
 * is waited for, in naps of so many nanoseconds, and not for ever: in a child of fork it may not be
 * there. If it is the thread itself, a signal handler has come in between. Then the access is not
 * remembered.
 */
#define TRIES 64
#define NAPS  40
#define NAP   50000

/* Of an access that is longer, the beginning and pieces in between are looked at. */
#define MOST_GRANULES 512
#define FEW_GRANULES  32 /* where the budget rules */

bool darn_memory_open(void)
{
    if (!buckets)
        buckets = darn_os_allocate(BUCKETS * sizeof(*buckets));
    return buckets != NULL;
}

static struct bucket *bucket_of(uint64_t granule)
{
    return &buckets[darn_touched_fold(granule / 8, LINES_BITS) * 3 / 4 * 8 + granule % 8];
}

static bool take(struct bucket *bucket, uint32_t slot)
{
    for (int tries = 0; tries < TRIES + NAPS; tries++) {
        uint32_t holder = atomic_load_explicit(&bucket->lock, memory_order_relaxed);

        if (!holder &&
            atomic_compare_exchange_strong_explicit(&bucket->lock, &holder, slot + 1,
                                                    memory_order_acquire, memory_order_relaxed))
            return true;
        if (holder == slot + 1)
            break;
        if (tries < TRIES)
            __builtin_ia32_pause();
        else
            darn_os_sleep(NAP);
    }
    darn_count(DARN_COUNT_NOT_REMEMBERED);
    return false;
}

static void give(struct bucket *bucket)
{
    atomic_store_explicit(&bucket->lock, 0, memory_order_release);
}

/* The access that a cell stands for, as far as conflicts go. */
static struct darn_touch touch_of(const struct darn_memory_cell *cell)
{
    return (struct darn_touch){
        .address = cell->granule * 8,
        .size = 8,
        .gaps = cell->bytes,
        .op = cell->op,
        .assertion = darn_memory_assertion(cell->flags),
        .atomic = cell->flags & DARN_MEMORY_ATOMIC,
        .is_volatile = cell->flags & DARN_MEMORY_VOLATILE,
    };
}

static bool conflicts(const struct darn_memory_cell *cell, const struct darn_memory_cell *now)
{
    struct darn_touch a = touch_of(cell), b = touch_of(now);

    return darn_touch_conflict(&a, &b);
}

/* What conflicts with one of these conflicts with those of a higher rank, too. */
static int rank_of(unsigned op)
{
    static const uint8_t ranks[] = {[DARN_OP_USE] = 0,
                                    [DARN_OP_READ] = 1,
                                    [DARN_OP_WRITE] = 2,
                                    [DARN_OP_UPDATE] = 2,
                                    [DARN_OP_FREE] = 3};

    return ranks[op];
}

/* Whether the new one says all that the old one does: to whoever comes later, and conflicts with
 * the old one, it makes no difference that this is gone. */
static bool covers(const struct darn_memory_cell *now, const struct darn_memory_cell *old)
{
    return !(old->bytes & ~now->bytes) && rank_of(now->op) >= rank_of(old->op) &&
           (now->flags == old->flags || (!now->flags && !darn_memory_assertion(old->flags)));
}

/* The oldest of those that come often, else the oldest: what a thread does once a second is looked
 * for beside millions of others. */
static struct darn_memory_cell *make_room(struct bucket *bucket)
{
    uint32_t oldest = bucket->next;

    for (uint32_t i = 0; i < CELLS; i++) {
        if (bucket->cells[(bucket->next + i) % CELLS].is_often) {
            oldest = (bucket->next + i) % CELLS;
            break;
        }
    }
    bucket->next = (oldest + 1) % CELLS;
    darn_count(DARN_COUNT_FORGOTTEN);
    return &bucket->cells[oldest];
}

/* One piece of eight bytes. */
static bool access_granule(const struct darn_thread_clock *clock,
                           const struct darn_memory_cell *now, struct darn_memory_cell *found)
{
    struct bucket *bucket = bucket_of(now->granule);
    struct darn_memory_cell *room = NULL;
    bool any = false;

    if (!take(bucket, clock->slot))
        return false;
    for (int i = 0; i < CELLS; i++) {
        struct darn_memory_cell *cell = &bucket->cells[i];

        if (!cell->where) {
            room = room ? room : cell;
        } else if (cell->granule == now->granule) {
            bool is_old = cell->life != now->life;
            bool is_known =
                cell->slot == now->slot || darn_clock_knows(clock, cell->slot, cell->time);

            if (!is_old && !is_known && !any && conflicts(cell, now)) {
                *found = *cell;
                any = true;
            } else if (is_old || (is_known && covers(now, cell))) {
                room = cell;
            }
        }
    }
    if (now->where)
        *(room ? room : make_room(bucket)) = *now;
    give(bucket);
    return any;
}

/* Which of the eight bytes from `start` on are touched. */
static uint8_t bytes_of(const struct darn_touch *touch, uintptr_t start)
{
    uint8_t bytes = 0;

    if (!touch->gaps && touch->address <= start && touch->address + touch->size >= start + 8)
        return 0xff;
    for (int i = 0; i < 8; i++) {
        uintptr_t at = start + (uintptr_t)i - touch->address;

        if (at < touch->size && (!touch->gaps || at >= 64 || touch->gaps >> at & 1))
            bytes |= (uint8_t)(1 << i);
    }
    return bytes;
}

static struct darn_memory_cell cell_of(struct darn_thread_clock *clock,
                                       const struct darn_touch *touch, uint32_t where)
{
    return (struct darn_memory_cell){
        .where = where,
        .slot = (uint8_t)clock->slot,
        .time = where ? darn_clock_now(clock) : 0,
        .op = touch->op & 0x7f,
        .is_often = touch->is_often,
        .flags = (uint8_t)((touch->atomic ? DARN_MEMORY_ATOMIC : 0) |
                           (touch->is_volatile ? DARN_MEMORY_VOLATILE : 0) |
                           touch->assertion * DARN_MEMORY_ASSERTED),
    };
}

/* The same for a long one that another thread has made: the first eight bytes that both touch. */
static bool find_span(const struct darn_thread_clock *clock, const struct darn_touch *touch,
                      struct darn_memory_cell *found)
{
    struct darn_span span;
    uintptr_t start;

    if (!darn_spans_find(clock, touch, &span))
        return false;
    start = touch->address > span.touch.address ? touch->address : span.touch.address;
    *found = (struct darn_memory_cell){
        .granule = start / 8,
        .time = span.time,
        .where = span.where,
        .life = darn_life_of(start / 8),
        .slot = (uint8_t)span.slot,
        .bytes = bytes_of(touch, start / 8 * 8) & bytes_of(&span.touch, start / 8 * 8),
        .op = span.touch.op};
    return found->bytes != 0;
}

/* Of a long access, the pieces of which something is remembered; if there are too many, some. */
static bool access_touched(struct darn_thread_clock *clock, const struct darn_touch *touch,
                           uint64_t most, struct darn_memory_cell *found)
{
    uint64_t granule = touch->address / 8, end = (touch->address + touch->size + 7) / 8;
    uint64_t step = darn_touched_count(granule, end) / most + 1;
    struct darn_memory_cell now = cell_of(clock, touch, 0);

    for (uint64_t i = 0; (granule = darn_touched_next(granule, end)) < end; granule++) {
        if (i++ % step)
            continue;
        now.granule = granule;
        now.bytes = bytes_of(touch, granule * 8);
        now.life = darn_life_of(granule);
        if (now.bytes && access_granule(clock, &now, found))
            return true;
    }
    return false;
}

/* Who comes second must find the first: a long access is there as a whole before it looks for
 * pieces, and others look for long ones when theirs are there. */
bool darn_memory_access(struct darn_thread_clock *clock, const struct darn_touch *touch,
                        uint32_t where, struct darn_memory_cell *found)
{
    uint64_t first = touch->address / 8, count = (touch->address + touch->size - 1) / 8 - first + 1;
    uint64_t most = darn_beginning_sees_all() ? MOST_GRANULES : FEW_GRANULES;
    uint64_t step = (count + most - 1) / most;
    struct darn_memory_cell now = cell_of(clock, touch, where);

    if (count > MOST_GRANULES && where && !touch->assertion)
        darn_spans_add(&(struct darn_span){
            .touch = *touch, .slot = now.slot, .time = now.time, .where = where});
    if (count > MOST_GRANULES && access_touched(clock, touch, most, found))
        return true;
    for (uint64_t i = 0; i < count; i += step) {
        now.granule = first + i;
        now.bytes = bytes_of(touch, now.granule * 8);
        if (!now.bytes)
            continue;
        now.life = darn_life_of(now.granule);
        darn_touched_note(now.granule);
        if (access_granule(clock, &now, found))
            return true;
    }
    return find_span(clock, touch, found);
}

static bool has_granule(const struct darn_memory_cell *wanted)
{
    const struct bucket *bucket = bucket_of(wanted->granule);

    for (int i = 0; i < CELLS; i++) {
        const struct darn_memory_cell *cell = &bucket->cells[i];

        if (cell->granule == wanted->granule && cell->where && cell->slot == wanted->slot &&
            cell->time == wanted->time && cell->life == wanted->life && !cell->flags &&
            !(wanted->bytes & ~cell->bytes) && rank_of(cell->op) >= rank_of(wanted->op))
            return true;
    }
    return false;
}

bool darn_memory_has(const struct darn_thread_clock *clock, uintptr_t address, uint32_t size,
                     bool writes)
{
    const struct darn_touch touch = {.address = address, .size = size};
    struct darn_memory_cell wanted = {
        .slot = (uint8_t)clock->slot,
        .time = atomic_load_explicit(&clock->times[clock->slot], memory_order_relaxed),
        .op = writes ? DARN_OP_WRITE : DARN_OP_READ};

    for (uint64_t granule = address / 8; granule <= (address + size - 1) / 8; granule++) {
        wanted.granule = granule;
        wanted.bytes = bytes_of(&touch, granule * 8);
        wanted.life = darn_life_of(granule);
        if (!has_granule(&wanted))
            return false;
    }
    return true;
}

uint32_t darn_memory_look(uintptr_t address, bool old, struct darn_memory_cell *found)
{
    uint64_t granule = address / 8;
    struct bucket *bucket = buckets ? bucket_of(granule) : NULL;
    uint32_t life = darn_life_of(granule), count = 0;

    if (!bucket || !take(bucket, DARN_CLOCK_SLOTS))
        return 0;
    for (int i = 0; i < CELLS; i++) {
        const struct darn_memory_cell *cell = &bucket->cells[i];

        if (cell->where && cell->granule == granule && (old || cell->life == life))
            found[count++] = *cell;
    }
    give(bucket);
    return count;
}

/* Whether something is remembered of the piece itself: others have the same hash. */
static bool is_remembered(uint64_t granule)
{
    const struct bucket *bucket = bucket_of(granule);

    for (int i = 0; i < CELLS && darn_is_touched(granule); i++) {
        if (bucket->cells[i].granule == granule && bucket->cells[i].where)
            return true;
    }
    return false;
}

/* So much of the beginning of a block that nobody has touched: a struct, the head of an array. */
#define MOST_OF_END 32

/* The end of memory, or of an object. */
struct ending {
    struct darn_thread_clock *clock;
    const struct darn_touch *touch;
    uint32_t where;
    uint64_t untouched; /* up to this granule also what nobody has touched is remembered */
    bool has_begun;
    struct darn_memory_cell now; /* from then on */
    struct darn_memory_cell *found;
    bool any;
};

/*
 * Its time is another one than that of the accesses before, which are no more: what the thread does
 * there again is no repetition (repeats.h). Programs end far more memory than is remembered, and
 * for the rest of it no time may pass: all clocks would have to hear of it.
 */
static void begin_end(struct ending *ending)
{
    ending->has_begun = true;
    ending->clock->is_given = true;
    ending->now = cell_of(ending->clock, ending->touch, ending->where);
}

static bool visit_end(struct ending *ending, uint64_t granule, uint32_t where,
                      struct darn_memory_cell *found)
{
    struct darn_memory_cell now;

    if (!ending->has_begun)
        begin_end(ending);
    now = ending->now;
    now.where = where;
    now.granule = granule;
    now.bytes = bytes_of(ending->touch, granule * 8);
    now.life = darn_life_of(granule);
    return now.bytes && access_granule(ending->clock, &now, found);
}

/* The pieces of one line, from `first` to before `end`. */
static void end_line(struct ending *ending, uint64_t first, uint64_t end)
{
    uint64_t start = darn_spending_start();
    uint8_t was = 0;

    for (uint64_t granule = first; granule < end; granule++) {
        if (!is_remembered(granule))
            continue;
        was |= (uint8_t)(1 << granule % 8);
        if (!ending->any)
            ending->any = visit_end(ending, granule, 0, ending->found);
    }
    if (was)
        darn_touched_renew(darn_touched_line(first), first % 8, (unsigned)(end - first / 8 * 8));
    for (uint64_t granule = first; ending->where && granule < end; granule++) {
        if (was >> granule % 8 & 1 || granule < ending->untouched) {
            darn_touched_note(granule);
            visit_end(ending, granule, ending->where, &(struct darn_memory_cell){0});
        }
    }
    darn_spending_end(ending->clock->slot, start);
}

bool darn_memory_is_touched(uintptr_t start, uint64_t size)
{
    uint64_t end = (start + size + 7) / 8, next;

    if (size / 64 >= MOST_LINES || darn_spans_touch(start, size))
        return true;
    for (uint64_t granule = start / 8; granule < end; granule = next) {
        next = darn_untouched_end(granule, end);
        if (next != granule)
            continue;
        if (darn_touched_pieces(granule))
            return true;
        next = darn_touched_line_end(granule, end);
    }
    return false;
}

bool darn_memory_end(struct darn_thread_clock *clock, const struct darn_touch *touch,
                     uint32_t where, bool all, struct darn_memory_cell *found)
{
    uint64_t first = touch->address / 8, end = (touch->address + touch->size + 7) / 8, next;
    struct ending ending = {.clock = clock, .touch = touch, .where = where, .found = found};

    darn_spans_forget(touch->address, touch->size);
    if (touch->size / 64 >= MOST_LINES) {
        darn_memory_forget(touch->address, touch->size);
        return false;
    }
    ending.untouched = where && all ? first + MOST_OF_END : 0;
    for (uint64_t granule = first; granule < end; granule = next) {
        next = granule < ending.untouched ? granule : darn_untouched_end(granule, end);
        if (next != granule)
            continue;
        next = darn_touched_line_end(granule, end);
        if (granule < ending.untouched ||
            darn_touched_pieces(granule))
            end_line(&ending, granule, next);
    }
    return ending.any;
}

void darn_memory_forget(uintptr_t start, uint64_t size)
{
    uint64_t end = (start + size + 7) / 8, next;

    darn_spans_forget(start, size);
    for (uint64_t granule = start / 8; size / 64 < MOST_LINES && granule < end; granule = next) {
        next = darn_untouched_end(granule, end);
        if (next != granule)
            continue;
        next = darn_touched_line_end(granule, end);
        while (granule < next && !is_remembered(granule))
            granule++;
        if (granule < next)
            darn_touched_renew(darn_touched_line(granule), granule % 8,
                               (unsigned)(next - granule / 8 * 8));
    }
    for (uint32_t line = 0; size / 64 >= MOST_LINES && line < DARN_TOUCHED_LINES; line++)
        darn_touched_renew(line, 0, 8);
}
