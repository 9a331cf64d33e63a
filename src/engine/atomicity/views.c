/*
 * High-level data races by view consistency (Artho, Havelund, Biere, "High-level data races", 2003;
 * Letko 2.1.2): variables that one thread handles together under a lock, and another one under the
 * same lock, but one after the other.
 *
 * A *view* is what a critical section of a lock touches. A thread's largest view, and the views of
 * another thread, are compatible if what these have in common with it forms a chain under
 * inclusion. view_set.h has the views.
 *
 * Not from there: two views count only if either of them has a variable that the other lacks, and
 * on which it conflicts with the large view. What nobody writes tells nobody that it is old. And
 * only sections that no start, join or barrier orders count, and that no other lock keeps apart.
 */
#include <stdlib.h>

#include "base/grow.h"
#include "engine/atomicity/view_set.h"
#include "engine/common/pairs.h"
#include "engine/common/periods.h"
#include "engine/common/place.h"
#include "engine/common/threads.h"
#include "engine/race/racebase.h"

/* The most comparisons of two views. */
#define MOST_WORK UINT64_C(20000000)

struct cell {
    uint32_t variable; /* 0: not met */
};

/* The views that were seen under the lock at this address. */
struct lock_cell {
    struct darn_views *views;
};

/* A section that a thread is in. */
struct open {
    uint64_t lock;
    struct darn_view_builder *builder; /* stays in its place of the array */
};

struct thread {
    struct open *open;
    size_t count, capacity;
};

struct engine {
    struct darn_racebase base; /* first */
    struct darn_periods *periods;
    struct darn_shadow *locks;
    struct darn_threads numbers;
    struct thread *threads;
    size_t thread_capacity;
    uint32_t variables;
    size_t own;
    uint64_t sections, work, dropped;
};

struct passing {
    struct engine *engine;
    const struct darn_event *event;
    struct thread *thread;
    uint32_t holding;
};

static struct thread *thread_of(struct engine *engine, uint32_t number)
{
    uint32_t index = darn_threads_index(&engine->numbers, number);

    engine->threads = darn_grow(engine->threads, &engine->thread_capacity, (size_t)index + 1,
                                sizeof(*engine->threads));
    return &engine->threads[index];
}

/* A part of what was one variable is another one. */
static void copy_cell(void *context, void *memory)
{
    struct engine *engine = context;

    ((struct cell *)memory)->variable = ++engine->variables;
}

static void visit(void *to, void *memory, uint64_t address)
{
    struct passing *passing = to;
    struct engine *engine = passing->engine;
    struct cell *cell = memory;
    struct darn_view_element element;

    if (!cell->variable)
        cell->variable = ++engine->variables;
    element = (struct darn_view_element){
        .variable = cell->variable,
        .writes = darn_event_writes(passing->event),
        .access = darn_access_pack(passing->event, 1, passing->holding, false, address),
        .address = address,
    };
    for (size_t i = 0; i < passing->thread->count; i++)
        darn_view_add(passing->thread->open[i].builder, &element);
}

static void on_access(struct engine *engine, const struct darn_event *event)
{
    struct passing passing = {.engine = engine, .event = event};

    passing.thread = thread_of(engine, event->thread);
    if (!passing.thread->count || !darn_racebase_is_variable(&engine->base, event))
        return;
    passing.holding = darn_held_holding(engine->base.held, event->thread);
    darn_shadow_pass(engine->base.shadow, event, visit, &passing);
}

static void begin_section(struct engine *engine, const struct darn_event *event)
{
    struct thread *thread = thread_of(engine, event->thread);
    struct open *open;

    thread->open =
        darn_grow(thread->open, &thread->capacity, thread->count + 1, sizeof(*thread->open));
    open = &thread->open[thread->count++];
    open->lock = event->target;
    if (!open->builder) {
        open->builder = darn_need_memory(malloc(sizeof(*open->builder)));
        engine->own += sizeof(*open->builder);
    }
    darn_view_clear(open->builder);
}

static bool must_be_apart(struct engine *engine, const struct darn_view *a,
                          const struct darn_view *b)
{
    return !darn_periods_concurrent(engine->periods, a->period, b->period);
}

static void add_step(struct engine *engine, struct darn_prediction *prediction,
                     const struct darn_view *view, const struct darn_view_element *element)
{
    struct darn_event event = darn_access_event(&element->access, element->address);
    struct darn_prediction_step *step;

    event.thread = view->thread;
    step = darn_prediction_add(prediction, &event);
    if (step)
        darn_holding_fill(engine->base.held, element->access.holding, step);
}

/* One thread handles the two together, the other one the first in `one` and the second in `two`. */
static void report(struct engine *engine, const struct darn_view *large,
                   const struct darn_view *one, const struct darn_view *two,
                   const struct darn_view_difference *difference)
{
    const struct darn_engine_config *config = &engine->base.config;
    const struct darn_view *views[] = {large, one, two, large};
    const struct darn_view_element *elements[4];
    struct darn_prediction *prediction;
    uint64_t key = DARN_HASH_START;

    elements[0] = &large->elements[difference->first];
    elements[1] = darn_view_find(one, elements[0]->variable);
    elements[3] = &large->elements[difference->second];
    elements[2] = darn_view_find(two, elements[3]->variable);
    for (int i = 0; i < 4; i += 3) /* the two belong together where they are handled so */
        key = darn_hash_place(
            key, darn_place(config, elements[i]->access.site, elements[i]->access.stack),
            elements[i]->address);
    prediction =
        darn_pairs_see_key(engine->base.pairs, DARN_PREDICTS_VIEWS, key, elements[0]->address);
    for (int i = 0; prediction && i < 4; i++)
        add_step(engine, prediction, views[i], elements[i]);
}

/* Another lock is held around all three. */
static bool are_kept_apart(struct engine *engine, const struct darn_view *large,
                           const struct darn_view *a, const struct darn_view *b)
{
    struct darn_locksets *sets = engine->base.sets;

    return darn_lockset_intersect(sets, large->outer,
                                  darn_lockset_intersect(sets, a->outer, b->outer)) !=
           DARN_LOCKSET_EMPTY;
}

/* The first two views of another thread of which neither has all that the other has in common with
 * the large one. */
static void compare_with(struct engine *engine, const struct darn_views *views,
                         const struct darn_view *large, uint32_t other)
{
    const struct darn_view *seen[DARN_VIEWS_OF_THREAD];
    struct darn_view_overlap overlaps[DARN_VIEWS_OF_THREAD];
    size_t count = 0;

    for (size_t i = 0; i < views->count && count < DARN_VIEWS_OF_THREAD; i++) {
        const struct darn_view *view = &views->list[i];

        if (view->thread != other || must_be_apart(engine, large, view))
            continue;
        engine->work++;
        overlaps[count] = darn_view_overlap(large, view);
        if (overlaps[count].common)
            seen[count++] = view;
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < i; j++) {
            struct darn_view_difference difference;

            if (darn_view_are_chain(&overlaps[j], &overlaps[i], &difference) ||
                are_kept_apart(engine, large, seen[i], seen[j]))
                continue;
            report(engine, large, seen[j], seen[i], &difference);
            return;
        }
    }
}

/* Whether the thread was met in the list before. */
static bool was_before(const struct darn_views *views, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (views->list[i].thread == views->list[index].thread)
            return true;
    }
    return false;
}

static void compare(struct engine *engine, struct darn_views *views)
{
    for (size_t i = 0; i < views->count; i++) {
        const struct darn_view *large = &views->list[i];

        if (large->count < 2 || !darn_views_is_maximal(views, i))
            continue;
        for (size_t j = 0; j < views->count && engine->work < MOST_WORK; j++) {
            if (views->list[j].thread != large->thread && !was_before(views, j))
                compare_with(engine, views, large, views->list[j].thread);
        }
    }
    engine->dropped += views->dropped;
    views->dropped = 0;
}

static void free_views(struct engine *engine, struct darn_views *views)
{
    for (size_t i = 0; i < views->count; i++)
        darn_periods_drop(engine->periods, views->list[i].period);
    engine->own -= darn_views_memory(views);
    darn_views_free(views);
    free(views);
}

/* The lock is gone: its views are all there. */
static void drop_lock(void *context, void *memory)
{
    struct engine *engine = context;
    struct lock_cell *cell = memory;

    if (!cell->views)
        return;
    compare(engine, cell->views);
    free_views(engine, cell->views);
    cell->views = NULL;
}

static void end_section(struct engine *engine, const struct darn_event *event)
{
    struct thread *thread = thread_of(engine, event->thread);
    size_t at = thread->count;
    struct lock_cell *cell;
    struct darn_view view;
    struct open ended;

    while (at && thread->open[at - 1].lock != event->target)
        at--;
    if (!at)
        return;
    engine->sections++;
    ended = thread->open[--at];
    view = (struct darn_view){
        .thread = event->thread,
        .outer = darn_lockset_remove(
            engine->base.sets, darn_held_set(engine->base.held, event->thread), event->target),
        .period = darn_periods_keep(engine->periods, event->thread),
    };
    cell = darn_shadow_at(engine->locks, event->target);
    if (!cell->views)
        cell->views = darn_need_zeroed(1, sizeof(*cell->views));
    engine->own -= darn_views_memory(cell->views);
    if (!darn_views_add(cell->views, &view, ended.builder))
        darn_periods_drop(engine->periods, view.period);
    engine->own += darn_views_memory(cell->views);
    for (thread->count--; at < thread->count; at++)
        thread->open[at] = thread->open[at + 1];
    thread->open[thread->count] = ended; /* its memory is used again */
}

static void on_lock(struct engine *engine, const struct darn_event *event)
{
    const struct darn_held_lock *lock =
        darn_held_find(engine->base.held, event->thread, event->target);

    if (event->kind == DARN_EVENT_ACQUIRE && !lock)
        begin_section(engine, event);
    if (event->kind == DARN_EVENT_RELEASE && lock && lock->depth == 1)
        end_section(engine, event);
    darn_held_event(engine->base.held, event);
}

static void views_event(void *state, const struct darn_event *event)
{
    struct engine *engine = state;

    switch (event->kind) {
    case DARN_EVENT_READ:
    case DARN_EVENT_WRITE:
    case DARN_EVENT_UPDATE:
        on_access(engine, event);
        break;
    case DARN_EVENT_ACQUIRE:
    case DARN_EVENT_RELEASE:
        on_lock(engine, event);
        break;
    case DARN_EVENT_ALLOC:
    case DARN_EVENT_FREE:
        darn_shadow_forget(engine->locks, event->target, event->extra);
        darn_shadow_forget(engine->base.shadow, event->target, event->extra);
        darn_periods_event(engine->periods, event);
        break;
    default:
        darn_held_event(engine->base.held, event);
        darn_periods_event(engine->periods, event);
        break;
    }
    darn_racebase_count(&engine->base);
}

static size_t memory_besides(const struct darn_racebase *base)
{
    const struct engine *engine = (const struct engine *)base;
    size_t memory = engine->own + (engine->locks ? darn_shadow_memory(engine->locks) : 0) +
                    darn_periods_memory(engine->periods) + darn_threads_memory(&engine->numbers) +
                    engine->thread_capacity * sizeof(*engine->threads);

    for (uint32_t i = 0; i < engine->numbers.count; i++)
        memory += engine->threads[i].capacity * sizeof(struct open);
    return memory;
}

static void views_finish(void *state)
{
    struct engine *engine = state;

    darn_racebase_measure(&engine->base);
    darn_shadow_destroy(engine->locks); /* none of them has more sections */
    engine->locks = NULL;
}

static void views_destroy(void *state)
{
    struct engine *engine = state;

    if (engine->locks)
        darn_shadow_destroy(engine->locks);
    for (size_t i = 0; i < engine->thread_capacity; i++) {
        for (size_t j = 0; j < engine->threads[i].capacity; j++)
            free(engine->threads[i].open[j].builder);
        free(engine->threads[i].open);
    }
    free(engine->threads);
    darn_threads_free(&engine->numbers);
    darn_racebase_close(&engine->base);
    darn_periods_destroy(engine->periods);
    free(engine);
}

static void *views_create(const struct darn_engine_config *config)
{
    struct engine *engine = calloc(1, sizeof(*engine));
    struct darn_shadow_type variable = {
        .size = sizeof(struct cell), .copy = copy_cell, .context = engine};
    struct darn_shadow_type lock = {
        .size = sizeof(struct lock_cell), .drop = drop_lock, .context = engine};

    if (!engine)
        return NULL;
    engine->periods = darn_periods_create();
    engine->locks = darn_shadow_create(&lock);
    if (!darn_racebase_open(&engine->base, config, &variable, memory_besides) || !engine->periods ||
        !engine->locks) {
        views_destroy(engine);
        return NULL;
    }
    return engine;
}

static struct darn_engine_cost views_cost(const void *state)
{
    const struct engine *engine = state;
    struct darn_engine_cost cost = darn_racebase_cost(state);

    cost.dropped += engine->dropped + darn_periods_degraded(engine->periods);
    return cost;
}

static size_t views_facts(const void *state, struct darn_engine_fact *facts)
{
    const struct engine *engine = state;
    size_t count = 0;

    facts[count++] = (struct darn_engine_fact){"critical sections", engine->sections, false};
    if (engine->dropped)
        facts[count++] = (struct darn_engine_fact){
            "critical sections left out, for a lock with very many different ones or for their "
            "size",
            engine->dropped, true};
    if (engine->work >= MOST_WORK)
        facts[count++] =
            (struct darn_engine_fact){"comparisons, and no more were made", engine->work, true};
    return count;
}

const struct darn_engine darn_engine_views = {
    .name = "views",
    .help = "variables that one thread handles together, and another one by one",
    .create = views_create,
    .event = views_event,
    .finish = views_finish,
    .predictions = darn_racebase_predictions,
    .dynamic = darn_racebase_dynamic,
    .cost = views_cost,
    .facts = views_facts,
    .destroy = views_destroy,
};
