#include "engine/common/periods.h"

#include <stdlib.h>

#include "engine/common/clock.h"
#include "base/grow.h"
#include "engine/common/thread_slots.h"
#include "engine/common/sync.h"
#include "engine/common/threads.h"

/* Of threads that were joined, the last so many are remembered: in Java, whose traces we read, a
 * thread may be joined many times. */
#define JOINED 1024

struct thread {
    struct darn_stamp
        now; /* its time is the index of the period; when it has ended, the last one */
    struct darn_sync_thread sync;
    uint32_t number;
    uint32_t kept; /* the id of the period, if it is kept */
    bool ended;
    bool joined;
};

struct kept {
    struct darn_stamp stamp;
    uint32_t references; /* 0: free */
    uint32_t thread;     /* index; of a free one: the next that is free */
};

struct darn_periods {
    struct darn_clocks clocks;
    struct darn_slots slots;
    struct darn_syncs *syncs; /* barriers */
    struct darn_threads threads;
    struct thread *all;
    size_t capacity;
    uint32_t joined[JOINED]; /* indexes of threads, a ring */
    uint64_t joined_count;
    struct kept *kept; /* from 1 */
    size_t kept_count, kept_capacity;
    uint32_t kept_free;
};

struct darn_periods *darn_periods_create(void)
{
    struct darn_periods *periods = calloc(1, sizeof(*periods));

    if (!periods)
        return NULL;
    periods->syncs = darn_syncs_create(&periods->clocks);
    if (!periods->syncs) {
        free(periods);
        return NULL;
    }
    return periods;
}

void darn_periods_destroy(struct darn_periods *periods)
{
    if (!periods)
        return;
    for (uint32_t i = 0; i < periods->threads.count; i++) {
        darn_syncs_leave(periods->syncs, &periods->all[i].sync);
        darn_stamp_drop(&periods->clocks, &periods->all[i].now);
    }
    for (size_t i = 1; i <= periods->kept_count; i++)
        darn_stamp_drop(&periods->clocks, &periods->kept[i].stamp);
    darn_syncs_destroy(periods->syncs);
    darn_slots_free(&periods->slots);
    darn_clocks_free(&periods->clocks);
    darn_threads_free(&periods->threads);
    free(periods->all);
    free(periods->kept);
    free(periods);
}

static void next_period(struct darn_periods *periods, struct thread *thread)
{
    struct darn_stamp over = darn_stamp_take(&periods->clocks, &thread->now);

    darn_stamp_drop(&periods->clocks, &over);
    thread->kept = 0;
}

/* The thread gets a slot, and is after what `creator` knows. One that goes on after its end, in a
 * trace from elsewhere, begins a new life after the old one. */
static void begin(struct darn_periods *periods, struct thread *thread, struct darn_stamp *creator)
{
    struct darn_stamp old = thread->now;

    if (creator && old.time)
        darn_stamp_join(&periods->clocks, creator, &old);
    if (!creator && old.time)
        creator = &old;
    thread->now = darn_slots_take(&periods->slots, thread->number, creator);
    if (creator)
        darn_stamp_join(&periods->clocks, &thread->now, creator);
    darn_stamp_drop(&periods->clocks, &old);
    thread->ended = thread->joined = false;
    thread->kept = 0;
}

static void end(struct darn_periods *periods, struct thread *thread)
{
    if (thread->ended)
        return;
    thread->ended = true;
    darn_slots_leave(&periods->slots, &thread->now, true);
    darn_syncs_leave(periods->syncs, &thread->sync);
}

/* Valid until the next new thread. */
static struct thread *find(struct darn_periods *periods, uint32_t number)
{
    uint32_t index = darn_threads_index(&periods->threads, number);

    if (periods->threads.count > periods->capacity)
        periods->all = darn_grow(periods->all, &periods->capacity, periods->threads.count,
                                 sizeof(*periods->all));
    periods->all[index].number = number;
    return &periods->all[index];
}

static struct thread *at_work(struct darn_periods *periods, uint32_t number)
{
    struct thread *thread = find(periods, number);

    if (!thread->now.time || thread->ended)
        begin(periods, thread, NULL);
    return thread;
}

static void on_fork(struct darn_periods *periods, uint32_t creator_number, uint32_t number)
{
    struct thread *creator, *thread;
    struct darn_stamp stamp;

    find(periods, number);
    creator = at_work(periods, creator_number);
    thread = find(periods, number);
    stamp = darn_stamp_take(&periods->clocks, &creator->now);
    creator->kept = 0;
    if (!thread->now.time || thread->ended) {
        begin(periods, thread, &stamp);
    } else {
        darn_stamp_join(&periods->clocks, &thread->now, &stamp);
        next_period(periods, thread);
    }
    darn_stamp_drop(&periods->clocks, &stamp);
}

static void on_join(struct darn_periods *periods, uint32_t number, uint32_t joined_number)
{
    uint32_t *cell = &periods->joined[periods->joined_count % JOINED];
    struct thread *joined, *thread;

    find(periods, joined_number);
    thread = at_work(periods, number);
    joined = find(periods, joined_number);
    if (joined->now.time) {
        end(periods, joined);
        darn_stamp_join(&periods->clocks, &thread->now, &joined->now);
    }
    next_period(periods, thread);
    if (joined->joined || !joined->now.time)
        return;
    joined->joined = true;
    if (periods->joined_count++ >= JOINED && periods->all[*cell].joined)
        darn_stamp_drop(&periods->clocks, &periods->all[*cell].now);
    *cell = (uint32_t)(joined - periods->all);
}

void darn_periods_event(struct darn_periods *periods, const struct darn_event *event)
{
    struct thread *thread;

    switch (event->kind) {
    case DARN_EVENT_FORK:
        if (event->target != event->thread && event->target <= UINT32_MAX)
            on_fork(periods, event->thread, (uint32_t)event->target);
        break;
    case DARN_EVENT_JOIN:
        if (event->target != event->thread && event->target <= UINT32_MAX)
            on_join(periods, event->thread, (uint32_t)event->target);
        break;
    case DARN_EVENT_EXIT:
        end(periods, at_work(periods, event->thread));
        break;
    case DARN_EVENT_ARRIVE:
        thread = at_work(periods, event->thread);
        thread->kept = 0;
        darn_syncs_after(periods->syncs, &thread->sync, &thread->now, event);
        break;
    case DARN_EVENT_DEPART:
        thread = at_work(periods, event->thread);
        darn_syncs_before(periods->syncs, &thread->sync, &thread->now, event);
        next_period(periods, thread);
        break;
    case DARN_EVENT_ALLOC:
    case DARN_EVENT_FREE:
        darn_syncs_forget(periods->syncs, event->target, event->extra);
        break;
    default:
        break;
    }
}

static struct darn_period period_of(const struct darn_stamp *stamp)
{
    return (struct darn_period){stamp->slot, stamp->time};
}

struct darn_period darn_periods_now(struct darn_periods *periods, uint32_t thread)
{
    return period_of(&at_work(periods, thread)->now);
}

bool darn_periods_before_now(struct darn_periods *periods, struct darn_period period,
                             uint32_t thread)
{
    return darn_stamp_knows(&at_work(periods, thread)->now,
                            darn_epoch_make(period.slot, period.index));
}

uint32_t darn_periods_thread(const struct darn_periods *periods, struct darn_period period)
{
    return darn_slots_thread(&periods->slots, darn_epoch_make(period.slot, period.index));
}

uint32_t darn_periods_keep(struct darn_periods *periods, uint32_t number)
{
    struct thread *thread = at_work(periods, number);
    uint32_t id = thread->kept;

    if (id) {
        periods->kept[id].references++;
        return id;
    }
    id = periods->kept_free;
    if (id) {
        periods->kept_free = periods->kept[id].thread;
    } else {
        id = (uint32_t)++periods->kept_count;
        periods->kept = darn_grow(periods->kept, &periods->kept_capacity, (size_t)id + 1,
                                  sizeof(*periods->kept));
    }
    periods->kept[id] = (struct kept){.stamp = darn_stamp_copy(&thread->now),
                                      .references = 1,
                                      .thread = (uint32_t)(thread - periods->all)};
    thread->kept = id;
    return id;
}

void darn_periods_drop(struct darn_periods *periods, uint32_t id)
{
    struct kept *kept = &periods->kept[id];

    if (--kept->references)
        return;
    if (periods->all[kept->thread].kept == id)
        periods->all[kept->thread].kept = 0;
    darn_stamp_drop(&periods->clocks, &kept->stamp);
    kept->thread = periods->kept_free;
    periods->kept_free = id;
}

struct darn_period darn_periods_kept(const struct darn_periods *periods, uint32_t kept)
{
    return period_of(&periods->kept[kept].stamp);
}

bool darn_periods_before(const struct darn_periods *periods, uint32_t kept_a, uint32_t kept_b)
{
    const struct darn_stamp *a = &periods->kept[kept_a].stamp, *b = &periods->kept[kept_b].stamp;

    return kept_a != kept_b && darn_stamp_knows(b, darn_stamp_epoch(a));
}

bool darn_periods_concurrent(const struct darn_periods *periods, uint32_t kept_a, uint32_t kept_b)
{
    return kept_a != kept_b && !darn_periods_before(periods, kept_a, kept_b) &&
           !darn_periods_before(periods, kept_b, kept_a);
}

uint64_t darn_periods_degraded(const struct darn_periods *periods)
{
    return periods->slots.forced + periods->clocks.exhausted;
}

size_t darn_periods_memory(const struct darn_periods *periods)
{
    return sizeof(*periods) + periods->clocks.memory + darn_slots_memory(&periods->slots) +
           darn_syncs_memory(periods->syncs) + darn_threads_memory(&periods->threads) +
           periods->capacity * sizeof(*periods->all) +
           periods->kept_capacity * sizeof(*periods->kept);
}
