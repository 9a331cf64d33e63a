#include "engine/race/lead.h"

#include <stdlib.h>

#include "base/grow.h"
#include "base/map.h"
#include "engine/common/held.h"
#include "engine/common/ideal.h"
#include "engine/common/order.h"
#include "engine/common/threads.h"

/* A pair is given up after so many questions. */
#define MOST_QUESTIONS 256u

/* Synchronization that has happened. */
struct deed {
    uint32_t slot, time, thread;
    uint8_t kind, lock;
};

/* An access on one side of a pair. */
struct stand {
    struct darn_event event; /* NONE: there was none */
    struct darn_stamp before;
    size_t deeds; /* that were made until then, by all threads */
    uint32_t visits;
    uint8_t side;
};

/* One site may touch several places, as a call that fills several buffers: of each thread and
 * address the last access is remembered, so many in all. */
#define STANDS 8u

struct pair {
    struct darn_lead lead;
    struct stand stands[2][STANDS];
    uint32_t taken[2]; /* how often a stand was the next one */
    uint32_t questions;
};

/* What a site is for. */
struct use {
    size_t pair;
    uint32_t side, next; /* use + 1 */
};

/* How often a thread came to a side of a pair since its last synchronization. */
struct visits {
    uint32_t deeds; /* of the thread, until then */
    uint32_t count;
};

struct darn_leads {
    bool by_order; /* what happens before the two comes first, and nothing else */
    struct darn_order *order;
    struct darn_ideals *ideals;
    struct darn_locksets *sets;
    struct darn_held *held;
    struct pair *pairs;
    size_t pair_count;
    struct darn_map sites; /* to use + 1 */
    struct use *uses;
    size_t use_count, use_capacity;
    struct deed *deeds;
    size_t deed_count, deed_capacity;
    struct darn_threads threads;
    uint32_t *deeds_of; /* by thread */
    size_t deeds_capacity;
    uint8_t *last_of; /* by thread: the kind of its last deed */
    size_t last_capacity;
    struct darn_map visits; /* by thread, pair and side: to the index of `visited` + 1 */
    struct visits *visited;
    size_t visited_count, visited_capacity;
};

struct darn_leads *darn_leads_create(const struct darn_engine_config *config, size_t pairs,
                                     bool by_order)
{
    struct darn_leads *leads = calloc(1, sizeof(*leads));
    struct darn_order_config order = {.flow = !by_order,
                                      .locks = by_order,
                                      .ignore_sync = config->ignore_sync,
                                      .ignore_atomic = config->ignore_atomic,
                                      .reads_too = config->reads_too,
                                      .context = config->context};

    if (!leads)
        return NULL;
    leads->pairs = darn_need_zeroed(pairs, sizeof(*leads->pairs));
    leads->pair_count = pairs;
    leads->by_order = by_order;
    leads->order = darn_order_create(&order);
    leads->ideals = leads->order ? darn_ideals_create(darn_order_clocks(leads->order)) : NULL;
    leads->sets = darn_locksets_create();
    leads->held = leads->sets ? darn_held_create(leads->sets) : NULL;
    if (!leads->ideals || !leads->held) {
        darn_leads_destroy(leads);
        return NULL;
    }
    return leads;
}

void darn_leads_destroy(struct darn_leads *leads)
{
    if (!leads)
        return;
    for (size_t i = 0; i < leads->pair_count; i++) {
        free(leads->pairs[i].lead.steps);
        for (uint32_t j = 0; leads->order && j < 2 * STANDS; j++)
            darn_stamp_drop(darn_order_clocks(leads->order),
                            &leads->pairs[i].stands[j / STANDS][j % STANDS].before);
    }
    darn_ideals_destroy(leads->ideals);
    darn_order_destroy(leads->order);
    darn_held_destroy(leads->held);
    darn_locksets_destroy(leads->sets);
    darn_threads_free(&leads->threads);
    darn_map_free(&leads->sites);
    darn_map_free(&leads->visits);
    free(leads->visited);
    free(leads->deeds_of);
    free(leads->last_of);
    free(leads->deeds);
    free(leads->uses);
    free(leads->pairs);
    free(leads);
}

void darn_leads_site(struct darn_leads *leads, size_t pair, uint32_t side, uint32_t site)
{
    uint32_t before = (uint32_t)darn_map_get(&leads->sites, site, 0);

    leads->uses =
        darn_grow(leads->uses, &leads->use_capacity, leads->use_count + 1, sizeof(*leads->uses));
    leads->uses[leads->use_count++] = (struct use){pair, side, before};
    darn_map_put(&leads->sites, site, leads->use_count);
}

const struct darn_lead *darn_leads_get(const struct darn_leads *leads, size_t pair)
{
    return &leads->pairs[pair].lead;
}

static uint32_t index_of(struct darn_leads *leads, uint32_t thread)
{
    uint32_t index = darn_threads_index(&leads->threads, thread);

    leads->deeds_of = darn_grow(leads->deeds_of, &leads->deeds_capacity, (size_t)index + 1,
                                sizeof(*leads->deeds_of));
    leads->last_of = darn_grow(leads->last_of, &leads->last_capacity, (size_t)index + 1,
                               sizeof(*leads->last_of));
    return index;
}

static uint32_t count_visit(struct darn_leads *leads, const struct use *use, uint32_t thread)
{
    uint32_t index = index_of(leads, thread);
    uintptr_t key = (uintptr_t)((uint64_t)index << 33 | (uint64_t)use->pair << 1 | use->side);
    bool added;
    uintptr_t *at = darn_map_at(&leads->visits, key, &added);
    struct visits *visits;

    if (!*at) {
        leads->visited = darn_grow(leads->visited, &leads->visited_capacity,
                                   leads->visited_count + 1, sizeof(*leads->visited));
        *at = ++leads->visited_count;
    }
    visits = &leads->visited[*at - 1];
    if (visits->deeds != leads->deeds_of[index])
        *visits = (struct visits){.deeds = leads->deeds_of[index]};
    return ++visits->count;
}

static void add_step(struct darn_lead *lead, size_t *capacity, struct darn_lead_step step)
{
    lead->steps = darn_grow(lead->steps, capacity, lead->count + 1, sizeof(*lead->steps));
    lead->steps[lead->count++] = step;
}

static bool comes_first(const struct darn_leads *leads, const struct stand *earlier,
                        const struct stand *later, const struct deed *deed)
{
    darn_epoch epoch = darn_epoch_make(deed->slot, deed->time);

    if (!leads->by_order)
        return darn_ideal_has(leads->ideals, deed->slot, deed->time);
    return darn_stamp_knows(&earlier->before, epoch) || darn_stamp_knows(&later->before, epoch);
}

/* Of the two threads all that came before their accesses, of others what is in the ideal. */
static void make_lead(struct darn_leads *leads, struct darn_lead *lead, const struct stand *earlier,
                      const struct stand *later)
{
    bool turned = later->event.thread < earlier->event.thread;
    size_t capacity = 0;

    for (size_t i = 0; i < leads->deed_count; i++) {
        const struct deed *deed = &leads->deeds[i];

        if (deed->thread == earlier->event.thread
                ? i < earlier->deeds
                : deed->thread == later->event.thread || comes_first(leads, earlier, later, deed))
            add_step(lead, &capacity,
                     (struct darn_lead_step){
                         .thread = deed->thread, .kind = deed->kind, .lock = deed->lock});
    }
    /* Who came first in the run is chance: one seed shall give one schedule. */
    for (int i = 0; i < 2; i++) {
        const struct stand *stand = turned == (i == 0) ? later : earlier;

        add_step(lead, &capacity,
                 (struct darn_lead_step){
                     .thread = stand->event.thread, .side = stand->side, .visits = stand->visits});
    }
}

static bool overlap(const struct darn_event *a, const struct darn_event *b)
{
    return a->target < b->target + b->size && b->target < a->target + a->size;
}

/* Whether the two can be stood before at once. */
static bool can_meet(struct darn_leads *leads, struct pair *pair, const struct stand *earlier,
                     const struct darn_event *event, const struct darn_stamp *now)
{
    const struct darn_stamp *before = &earlier->before;
    struct darn_ideal_point points[] = {{before->clock, before->slot, before->time},
                                        {now->clock, now->slot, now->time}};

    if (earlier->event.kind == DARN_EVENT_NONE || earlier->event.thread == event->thread ||
        !overlap(&earlier->event, event) ||
        !(darn_event_writes(&earlier->event) || darn_event_writes(event)) ||
        darn_stamp_knows(now, darn_stamp_epoch(before)) || pair->questions >= MOST_QUESTIONS)
        return false;
    pair->questions++;
    return leads->by_order || darn_ideal_reaches(leads->ideals, points, 2) == DARN_IDEAL_OPEN;
}

/* Where the access is remembered: in place of the last one of its thread there, or of the oldest.
 */
static struct stand *stand_of(struct pair *pair, const struct use *use,
                              const struct darn_event *event)
{
    struct stand *stands = pair->stands[use->side];

    for (uint32_t i = 0; i < STANDS; i++) {
        if (stands[i].event.kind != DARN_EVENT_NONE && stands[i].event.thread == event->thread &&
            stands[i].event.target == event->target)
            return &stands[i];
    }
    return &stands[pair->taken[use->side]++ % STANDS];
}

static void stand_before(struct darn_leads *leads, const struct use *use,
                         const struct darn_event *event, struct darn_order_thread *thread)
{
    struct pair *pair = &leads->pairs[use->pair];
    const struct stand *others = pair->stands[!use->side];
    uint32_t visits = count_visit(leads, use, event->thread), meets = 0;
    struct stand *stand;

    if (pair->lead.count || leads->deed_count >= DARN_LEAD_MOST)
        return;
    while (meets < STANDS && !can_meet(leads, pair, &others[meets], event, &thread->now))
        meets++;
    stand = stand_of(pair, use, event);
    darn_stamp_drop(darn_order_clocks(leads->order), &stand->before);
    *stand = (struct stand){*event, darn_stamp_copy(&thread->now), leads->deed_count, visits,
                            (uint8_t)use->side};
    thread->used = thread->now.time;
    if (meets < STANDS)
        make_lead(leads, &pair->lead, &others[meets], stand);
}

static void on_access(struct darn_leads *leads, const struct darn_event *event,
                      struct darn_order_thread *thread)
{
    uint32_t use = (uint32_t)darn_map_get(&leads->sites, event->site, 0);

    for (; use; use = leads->uses[use - 1].next)
        stand_before(leads, &leads->uses[use - 1], event, thread);
}

/* What is a step of a controlled run, too. Who waits gives its mutex back with the wait. */
static bool is_deed(const struct darn_event *event, uint8_t last)
{
    switch (event->kind) {
    case DARN_EVENT_RELEASE:
        return last != DARN_EVENT_WAIT;
    case DARN_EVENT_ACQUIRE:
    case DARN_EVENT_JOIN:
    case DARN_EVENT_TAKE:
        return !(event->flags & DARN_EVENT_TRY);
    case DARN_EVENT_FORK:
    case DARN_EVENT_ARRIVE:
    case DARN_EVENT_WAIT:
    case DARN_EVENT_SIGNAL:
    case DARN_EVENT_BROADCAST:
    case DARN_EVENT_POST:
        return true;
    default:
        return false;
    }
}

static void add_deed(struct darn_leads *leads, const struct darn_event *event, uint32_t slot,
                     uint32_t time)
{
    uint32_t index = index_of(leads, event->thread);
    bool counts = is_deed(event, leads->last_of[index]);

    if (counts || event->kind == DARN_EVENT_RELEASE)
        leads->last_of[index] = event->kind;
    if (!counts)
        return;
    leads->deeds_of[index]++;
    if (leads->deed_count >= DARN_LEAD_MOST)
        return;
    leads->deeds = darn_grow(leads->deeds, &leads->deed_capacity, leads->deed_count + 1,
                             sizeof(*leads->deeds));
    leads->deeds[leads->deed_count++] =
        (struct deed){slot, time, event->thread, event->kind, event->lock};
}

void darn_leads_event(struct darn_leads *leads, const struct darn_event *event)
{
    struct darn_order_thread *thread = darn_order_before(leads->order, event);
    uint32_t slot = thread->now.slot, time = thread->now.time;

    if (darn_event_is_access(event)) {
        if (!(event->flags & DARN_EVENT_HALF))
            on_access(leads, event, thread);
        darn_order_after(leads->order, thread, event);
        return;
    }
    thread->used = time;
    darn_held_event(leads->held, event);
    darn_order_after(leads->order, thread, event);
    if (event->kind == DARN_EVENT_EXIT)
        return;
    thread = darn_order_thread(leads->order, event);
    darn_ideals_event(leads->ideals, leads->held, &thread->now, event);
    add_deed(leads, event, slot, event->kind == DARN_EVENT_ACQUIRE ? thread->now.time : time);
}
