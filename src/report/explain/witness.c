#include "report/explain/witness.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/common/held.h"
#include "engine/common/order.h"
#include "engine/common/periods.h"

#define STEPS  DARN_PREDICTION_STEPS
#define AROUND 3  /* deeds before and after a step */
#define MOST   40 /* of each other part */

/* The last synchronization of a thread, in a ring. */
struct recent {
    struct darn_deed ring[AROUND];
    uint32_t count;
};

struct reader {
    struct darn_witness *witness;
    const struct darn_prediction *prediction;
    const struct darn_engine_config *config;
    struct darn_locksets *sets;
    struct darn_held *held;
    struct darn_periods *periods;
    struct darn_order *order;
    struct darn_order_thread *now; /* of the present event */
    uint64_t number;
    uint32_t after[STEPS]; /* deeds that were told after each step */
    uint32_t period[STEPS];
    darn_epoch epoch[STEPS];
    bool is_gone[STEPS]; /* its memory is another one's from here on */
    struct recent recent[STEPS];
};

static bool is_lock_deed(const struct darn_event *event)
{
    return event->kind == DARN_EVENT_ACQUIRE || event->kind == DARN_EVENT_REQUEST;
}

static bool overlap(const struct darn_event *a, const struct darn_event *b)
{
    uint64_t a_size = a->size ? a->size : 1, b_size = b->size ? b->size : 1;

    return a->target < b->target + b_size && b->target < a->target + a_size;
}

uint32_t darn_witness_earlier(const struct darn_prediction *prediction, uint32_t step)
{
    for (uint32_t i = step; i > 0; i--)
        if (prediction->steps[i - 1].event.thread == prediction->steps[step].event.thread)
            return i - 1;
    return step;
}

static bool is_about_same(const struct darn_event *a, const struct darn_event *b)
{
    if (darn_event_is_access(a) && darn_event_is_access(b))
        return overlap(a, b);
    return is_lock_deed(a) && is_lock_deed(b) && a->target == b->target;
}

uint32_t darn_witness_same(const struct darn_prediction *prediction, uint32_t step)
{
    for (uint32_t i = 0; i < step; i++)
        if (is_about_same(&prediction->steps[i].event, &prediction->steps[step].event))
            return i;
    return step;
}

void darn_witness_free(struct darn_witness *witness)
{
    free(witness->deeds);
    witness->deeds = NULL;
    witness->count = witness->room = 0;
}

/* A later step of the same thread has been found. */
static bool is_settled(const struct reader *reader, uint32_t step)
{
    for (uint32_t i = step + 1; i < reader->prediction->step_count; i++)
        if (reader->prediction->steps[i].event.thread ==
                reader->prediction->steps[step].event.thread &&
            reader->witness->at[i])
            return true;
    return false;
}

/* Whether a step of the same thread comes after it, so that what lies between them is told. */
static bool has_later(const struct reader *reader, uint32_t step)
{
    for (uint32_t i = step + 1; i < reader->prediction->step_count; i++)
        if (darn_witness_earlier(reader->prediction, i) == step)
            return true;
    return false;
}

static bool has_kind(const struct darn_event *step, const struct darn_event *event)
{
    if (step->kind == event->kind)
        return true;
    if (darn_event_is_access(step) && darn_event_is_access(event))
        return event->kind == DARN_EVENT_UPDATE ||
               (event->kind == DARN_EVENT_WRITE && step->kind == DARN_EVENT_READ);
    return is_lock_deed(step) && is_lock_deed(event);
}

static bool is_step(const struct darn_event *step, const struct darn_event *event)
{
    if (step->thread != event->thread || step->site != event->site || !has_kind(step, event))
        return false;
    if (step->stack && event->stack && step->stack != event->stack)
        return false;
    return darn_event_is_access(step) ? overlap(step, event) : step->target == event->target;
}

static void forget(struct darn_witness *witness, enum darn_deed_part part, uint32_t of)
{
    size_t kept = 0;

    for (size_t i = 0; i < witness->count; i++)
        if (witness->deeds[i].part != part || witness->deeds[i].of != of)
            witness->deeds[kept++] = witness->deeds[i];
    witness->count = kept;
}

static bool is_alike(const struct darn_deed *a, const struct darn_deed *b)
{
    const struct darn_event *one = &a->step.event, *other = &b->step.event;

    return a->part == b->part && a->of == b->of && a->holding == b->holding &&
           one->kind == other->kind && one->thread == other->thread && one->site == other->site &&
           (one->site || one->stack == other->stack);
}

static void add(struct reader *reader, const struct darn_deed *deed)
{
    struct darn_witness *witness = reader->witness;
    size_t same = 0;

    for (size_t i = 0; i < witness->count; i++) {
        if (deed->part == DARN_DEED_USE && is_alike(&witness->deeds[i], deed)) {
            witness->deeds[i].count++;
            return;
        }
        same += witness->deeds[i].part == deed->part && witness->deeds[i].of == deed->of;
    }
    if (same >= MOST) {
        witness->left_out[deed->part]++;
        return;
    }
    if (witness->count == witness->room) {
        size_t room = witness->room ? 2 * witness->room : 64;
        struct darn_deed *deeds = realloc(witness->deeds, room * sizeof(*deeds));

        if (!deeds)
            return;
        witness->deeds = deeds;
        witness->room = room;
    }
    witness->deeds[witness->count++] = *deed;
}

static struct darn_deed make(const struct reader *reader, const struct darn_event *event,
                             enum darn_deed_part part, uint32_t of)
{
    return (struct darn_deed){.part = part,
                              .of = of,
                              .holding = darn_held_holding(reader->held, event->thread),
                              .count = 1,
                              .step.event = *event};
}

/* What was put before what, as far as both have come. */
static void compare(struct reader *reader, uint32_t step)
{
    struct darn_witness *witness = reader->witness;

    for (uint32_t i = 0; i < reader->prediction->step_count; i++) {
        witness->did[step][i] = witness->must[step][i] = false;
        if (i == step || !witness->at[i])
            continue;
        witness->did[i][step] = darn_stamp_knows(&reader->now->now, reader->epoch[i]);
        witness->must[i][step] =
            darn_periods_before(reader->periods, reader->period[i], reader->period[step]);
    }
}

static void find(struct reader *reader, const struct darn_event *event, uint32_t step)
{
    struct darn_witness *witness = reader->witness;
    struct recent *recent = &reader->recent[step];

    if (reader->period[step])
        darn_periods_drop(reader->periods, reader->period[step]);
    reader->period[step] = darn_periods_keep(reader->periods, event->thread);
    reader->epoch[step] = darn_stamp_epoch(&reader->now->now);
    reader->now->used = reader->now->now.time;
    witness->at[step] = reader->number;
    compare(reader, step);
    forget(witness, DARN_DEED_BETWEEN, step);
    forget(witness, DARN_DEED_BEFORE, step);
    forget(witness, DARN_DEED_AFTER, step);
    reader->after[step] = 0;
    for (uint32_t i = recent->count < AROUND ? 0 : recent->count - AROUND; i < recent->count; i++)
        add(reader, &recent->ring[i % AROUND]);
}

/* The steps of a thread come one after the other: of the first the last time is taken before the
 * second comes, so that both are of one transaction. */
static void look_for_steps(struct reader *reader, const struct darn_event *event)
{
    for (uint32_t i = 0; i < reader->prediction->step_count; i++) {
        uint32_t earlier = darn_witness_earlier(reader->prediction, i);
        bool is_first = earlier == i;

        if (!is_step(&reader->prediction->steps[i].event, event))
            continue;
        if (is_first ? !reader->witness->at[i] || (has_later(reader, i) && !is_settled(reader, i))
                     : !reader->witness->at[i] && reader->witness->at[earlier])
            find(reader, event, i);
    }
}

/* A new transaction of the thread: what was found of an earlier one does not count, unless that was
 * complete. */
static void begin_unit(struct reader *reader, const struct darn_event *event)
{
    const struct darn_prediction *prediction = reader->prediction;
    struct darn_witness *witness = reader->witness;
    bool is_complete = true, is_ours = false;

    for (uint32_t i = 0; i < prediction->step_count; i++) {
        if (prediction->steps[i].event.thread != event->thread)
            continue;
        is_ours |= prediction->steps[i].unit && prediction->steps[i].unit == event->site;
        is_complete &= witness->at[i] != 0;
    }
    for (uint32_t i = 0; is_ours && !is_complete && i < prediction->step_count; i++) {
        if (prediction->steps[i].event.thread != event->thread)
            continue;
        witness->at[i] = 0;
        witness->units[i] = *event;
    }
}

static bool is_synchronization(const struct darn_event *event)
{
    return (event->kind >= DARN_EVENT_ACQUIRE && event->kind <= DARN_EVENT_JOIN &&
            event->kind != DARN_EVENT_REQUEST) ||
           (event->kind >= DARN_EVENT_ARRIVE && event->kind <= DARN_EVENT_RECEIVE &&
            event->target != DARN_EVENT_OUTSIDE);
}

static void tell_around(struct reader *reader, const struct darn_event *event)
{
    struct darn_witness *witness = reader->witness;

    for (uint32_t i = 0; i < reader->prediction->step_count; i++) {
        struct darn_deed deed = make(reader, event, DARN_DEED_BEFORE, i);

        /* A step may be synchronization itself. */
        if (reader->prediction->steps[i].event.thread != event->thread ||
            witness->at[i] == reader->number)
            continue;
        if (!witness->at[i]) {
            reader->recent[i].ring[reader->recent[i].count++ % AROUND] = deed;
        } else if (has_later(reader, i)) {
            deed.part = DARN_DEED_BETWEEN;
            if (!is_settled(reader, i))
                add(reader, &deed);
        } else if (reader->after[i]++ < AROUND) {
            deed.part = DARN_DEED_AFTER;
            add(reader, &deed);
        }
    }
}

/* Who starts and ends the threads of the steps, and where they wait for each other. */
static void tell_life(struct reader *reader, const struct darn_event *event)
{
    const struct darn_prediction *prediction = reader->prediction;

    for (uint32_t i = 0; i < prediction->step_count; i++) {
        uint32_t thread = prediction->steps[i].event.thread;
        struct darn_deed deed = make(reader, event, DARN_DEED_LIFE, i);

        if (darn_witness_earlier(prediction, i) != i)
            continue;
        if (((event->kind == DARN_EVENT_FORK || event->kind == DARN_EVENT_JOIN) &&
             event->target == thread) ||
            (event->kind == DARN_EVENT_ARRIVE && event->thread == thread))
            add(reader, &deed);
    }
}

static void tell_use(struct reader *reader, const struct darn_event *event)
{
    for (uint32_t i = 0; i < reader->prediction->step_count; i++) {
        struct darn_deed deed = make(reader, event, DARN_DEED_USE, i);

        if (darn_witness_same(reader->prediction, i) == i && !reader->is_gone[i] &&
            is_about_same(&reader->prediction->steps[i].event, event))
            add(reader, &deed);
    }
}

/* The memory of a step becomes another block: what was told of it is about something else, or what
 * will come is. */
static void pass_block(struct reader *reader, const struct darn_event *alloc)
{
    for (uint32_t i = 0; i < reader->prediction->step_count; i++) {
        const struct darn_event *step = &reader->prediction->steps[i].event;

        if (!darn_event_is_access(step) || step->target - alloc->target >= alloc->extra)
            continue;
        if (reader->witness->at[i])
            reader->is_gone[darn_witness_same(reader->prediction, i)] = true;
        else
            forget(reader->witness, DARN_DEED_USE, darn_witness_same(reader->prediction, i));
    }
}

static void read_event(struct reader *reader, const struct darn_event *event)
{
    reader->number++;
    darn_periods_event(reader->periods, event);
    reader->now = darn_order_before(reader->order, event);
    if (event->kind == DARN_EVENT_BEGIN)
        begin_unit(reader, event);
    else if (event->kind == DARN_EVENT_ALLOC)
        pass_block(reader, event);
    look_for_steps(reader, event);
    if (is_synchronization(event)) {
        tell_around(reader, event);
        tell_life(reader, event);
    }
    if (darn_event_is_access(event) || event->kind == DARN_EVENT_ACQUIRE)
        tell_use(reader, event);
    darn_order_after(reader->order, reader->now, event);
    darn_held_event(reader->held, event);
}

/* What the engine was told about spins and atomic accesses holds here, too. */
static int open_reader(struct reader *reader)
{
    struct darn_order_config order = {
        .locks = true,
        .ignore_sync = reader->config->ignore_sync,
        .ignore_atomic = reader->config->ignore_atomic,
    };

    reader->sets = darn_locksets_create();
    reader->held = reader->sets ? darn_held_create(reader->sets) : NULL;
    reader->periods = darn_periods_create();
    reader->order = darn_order_create(&order);
    return reader->held && reader->periods && reader->order ? 0 : -ENOMEM;
}

static void close_reader(struct reader *reader)
{
    darn_order_destroy(reader->order);
    darn_periods_destroy(reader->periods);
    darn_held_destroy(reader->held);
    darn_locksets_destroy(reader->sets);
}

int darn_witness_read(struct darn_witness *witness, const struct darn_prediction *prediction,
                      struct darn_trace *trace, const struct darn_engine_config *config)
{
    struct reader reader = {.witness = witness, .prediction = prediction, .config = config};
    struct darn_event event;
    int result = open_reader(&reader);

    *witness = (struct darn_witness){.prediction = prediction};
    if (!result) {
        darn_trace_rewind(trace);
        while (darn_trace_next(trace, &event) == 1)
            read_event(&reader, &event);
        for (size_t i = 0; i < witness->count; i++)
            darn_holding_fill(reader.held, witness->deeds[i].holding, &witness->deeds[i].step);
    }
    close_reader(&reader);
    return result;
}
