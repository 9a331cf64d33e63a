#include <string.h>

#include "engine/atomicity/serial_private.h"
#include "engine/common/place.h"

/* The key of what is told once. */
static uint64_t key_of(const struct darn_serial *serial, const struct darn_serial_edge *last)
{
    const struct darn_engine_config *config = &serial->base.config;
    const struct darn_access *steps[2] = {&last->before, &last->after};
    uint64_t key = darn_hash_place(DARN_HASH_START, darn_place(config, last->after_unit, 0), 1);

    for (int i = 0; i < 2; i++)
        key = darn_hash_place(key, darn_place(config, steps[i]->site, steps[i]->stack),
                              last->address);
    return key;
}

static void add_step(struct darn_serial *serial, struct darn_prediction *prediction,
                     const struct darn_access *access, const struct darn_serial_edge *edge,
                     bool is_after)
{
    struct darn_event event = darn_access_event(access, edge->address);
    struct darn_prediction_step *step;

    event.thread = darn_slots_thread(&serial->clocks.slots, is_after ? edge->to : edge->from);
    step = darn_prediction_add(prediction, &event);
    if (!step)
        return;
    step->unit = is_after ? edge->after_unit : edge->before_unit;
    darn_holding_fill(serial->base.held, access->holding, step);
}

/* Where one access is the end of a conflict and the beginning of the next, it is one step. */
static void add_steps(struct darn_serial *serial, struct darn_prediction *prediction,
                      const struct darn_serial_edge *way, size_t count)
{
    const struct darn_access *last = NULL;

    for (size_t i = 0; i < count; i++) {
        if (!way[i].before.epoch)
            continue;
        if (!last || memcmp(last, &way[i].before, sizeof(*last)) != 0)
            add_step(serial, prediction, &way[i].before, &way[i], false);
        add_step(serial, prediction, &way[i].after, &way[i], true);
        last = &way[i].after;
    }
}

/* The cycle begins and ends with the transaction that the last conflict came back to, if the two
 * are one: of this one the steps are in the order of the run. */
static void turn(struct darn_serial_edge *way, size_t count)
{
    struct darn_serial_edge turned[2 * DARN_SERIAL_WAY];
    size_t last = 0;

    for (size_t i = 1; i < count; i++) {
        if (way[i].number > way[last].number)
            last = i;
    }
    if (way[last].to != way[(last + 1) % count].from)
        return;
    for (size_t i = 0; i < count; i++)
        turned[i] = way[(last + 1 + i) % count];
    memcpy(way, turned, count * sizeof(*way));
}

/* All of the cycle that are open: each of them will find itself in it. */
static void mark_told(struct darn_serial *serial, const struct darn_serial_edge *way, size_t count)
{
    for (size_t i = 0; i < serial->clocks.live_count; i++) {
        struct darn_serial_thread *thread = serial->clocks.live[i];

        for (size_t j = 0; j < count; j++)
            thread->is_told |= thread->is_open && way[j].from == darn_stamp_epoch(&thread->now);
    }
}

void darn_serial_tell(struct darn_serial *serial, struct darn_serial_thread *thread,
                      darn_epoch other, const struct darn_serial_edge *last)
{
    struct darn_serial_edge way[2 * DARN_SERIAL_WAY];
    darn_epoch mine = darn_stamp_epoch(&thread->now);
    struct darn_prediction *prediction;
    size_t count, back = 1;

    if (thread->is_told)
        return;
    thread->is_told = true;
    count = darn_serial_edges_way(&serial->edges, mine, other, way);
    if (count && last)
        way[count] = *last;
    else if (count)
        back = darn_serial_edges_way(&serial->edges, other, mine, way + count);
    if (!count || !back) {
        serial->untold++;
        return;
    }
    count += back;
    turn(way, count);
    mark_told(serial, way, count);
    prediction = darn_pairs_see_key(serial->base.pairs, DARN_PREDICTS_ATOMICITY,
                                    key_of(serial, &way[count - 1]), way[0].address);
    if (prediction)
        add_steps(serial, prediction, way, count);
}
