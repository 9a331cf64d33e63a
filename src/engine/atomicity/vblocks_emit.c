/* From a transaction that has ended to its blocks (Wang & Stoller 6.1, 6.2 and 6.6). */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "engine/atomicity/vblocks.h"

/* Beyond this, signatures are forgotten: what was seen before is made, and found, once more. */
#define SIGNATURES (1u << 20)

/* For each block that there may be, room in the sets for so many. */
#define MEMBERS 16

/* An initial read or a final write, for 2v-blocks. */
struct point {
    struct darn_vevent event;
    uint32_t variable;
};

static struct darn_vvariable *variable_at(struct darn_vblocks_engine *engine, uint32_t variable)
{
    return darn_atom_variable(&engine->base, variable);
}

static bool has_signature(const struct darn_vblocks_engine *engine, struct darn_vsignature key,
                          uint32_t hash)
{
    size_t at = hash;
    uint32_t item;

    while ((item = darn_htable_next(&engine->known, hash, &at))) {
        const struct darn_vsignature *known = &engine->signatures[item - 1];

        if (known->word[0] == key.word[0] && known->word[1] == key.word[1])
            return true;
    }
    return false;
}

static void add_signature(struct darn_vblocks_engine *engine, struct darn_vsignature key,
                          uint32_t hash)
{
    if (engine->signature_count == SIGNATURES) {
        darn_htable_clear(&engine->known);
        engine->signature_count = 0;
    }
    engine->signatures = darn_grow(engine->signatures, &engine->signature_capacity,
                                   engine->signature_count + 1, sizeof(*engine->signatures));
    engine->signatures[engine->signature_count++] = key;
    darn_htable_add(&engine->known, hash, (uint32_t)engine->signature_count);
}

/* The same steps on the same variables, in the same period, have the same blocks. */
static bool is_known(struct darn_vblocks_engine *engine, const struct darn_vopen *open)
{
    struct darn_period now = darn_periods_now(engine->base.periods, open->thread);
    uint64_t period = (uint64_t)now.slot << 32 | now.index;
    struct darn_vsignature key = {
        {darn_fold(period, open->signature[0]), open->signature[1] + period}};
    uint32_t hash = (uint32_t)(key.word[0] ^ key.word[0] >> 32);

    if (has_signature(engine, key, hash))
        return true;
    add_signature(engine, key, hash);
    return false;
}

/* Whether there is no room for one more block, be it in few sets or in many. One variable shows
 * more with less, so its blocks get some of the room that is not for those of two. */
static bool is_full(struct darn_vblocks_engine *engine, uint64_t most)
{
    bool is = engine->blocks.all.used >= most || engine->sets.members / MEMBERS >= most;

    engine->blocks_full += is;
    return is;
}

static void add_one(struct darn_vblocks_engine *engine, uint32_t variable,
                    const struct darn_vblock *block)
{
    struct darn_vvariable *of = variable_at(engine, variable);
    uint32_t id;

    if (is_full(engine, 2 * engine->blocks_most))
        return;
    id = darn_vblocks_put(&engine->blocks, block);
    of->set = darn_vsets_add(&engine->sets, of->set, id);
    engine->one_count++;
}

static void emit_ones(struct darn_vblocks_engine *engine, const struct darn_vopen *open,
                      uint32_t period)
{
    for (size_t i = 0; i < open->record_count; i++) {
        struct darn_vblock block;
        uint32_t at = 0;

        while (darn_vopen_next(open, engine->base.sets, &open->records[i], &at, &block)) {
            block.period = period;
            add_one(engine, open->records[i].variable, &block);
        }
    }
}

static void add_two(struct darn_vblocks_engine *engine, const struct darn_vopen *open,
                    const struct point *first, const struct point *second, uint32_t period)
{
    struct darn_locksets *sets = engine->base.sets;
    struct darn_vpair_entry *pair;
    struct darn_vblock block;

    if (is_full(engine, engine->blocks_most))
        return;
    pair = darn_vpairs_get(&engine->pairs, first->variable, second->variable);
    if (!pair) {
        engine->pairs_full++;
        return;
    }
    block = (struct darn_vblock){
        .side = {{first->event.site, first->event.set, first->event.op, false},
                 {second->event.site, second->event.set, second->event.op, false}},
        .held = darn_vopen_held(open, sets, &first->event, &second->event),
        .mid = darn_vopen_mid(open, sets, &first->event, &second->event),
        .period = period,
        .unit = open->unit,
        .is_two = true,
        .is_flipped = pair->variable[0] != first->variable,
        .example = {{first->event.stack, second->event.stack},
                    {first->event.holding, second->event.holding},
                    open->thread},
    };
    pair->set = darn_vsets_add(&engine->sets, pair->set, darn_vblocks_put(&engine->blocks, &block));
    engine->two_count++;
}

static int compare_points(const void *left, const void *right)
{
    const struct point *a = left, *b = right;

    if (a->event.time != b->event.time)
        return a->event.time < b->event.time ? -1 : 1;
    return (a->variable > b->variable) - (a->variable < b->variable);
}

/* IR(t) and FW(t), in the order of the transaction. */
static struct point *find_points(const struct darn_vopen *open, size_t *count)
{
    struct point *points;
    size_t room = 0;

    for (size_t i = 0; i < open->record_count; i++)
        room += open->records[i].read_count + open->records[i].has_write;
    points = darn_need_memory(malloc((room + 1) * sizeof(*points)));
    *count = 0;
    for (size_t i = 0; i < open->record_count; i++) {
        const struct darn_vrecord *record = &open->records[i];

        for (uint32_t j = 0; j < record->read_count; j++)
            points[(*count)++] = (struct point){record->reads[j], record->variable};
        if (record->has_write)
            points[(*count)++] = (struct point){record->last_write, record->variable};
    }
    qsort(points, *count, sizeof(*points), compare_points);
    return points;
}

static void emit_twos(struct darn_vblocks_engine *engine, const struct darn_vopen *open,
                      uint32_t period)
{
    struct point *points;
    size_t count;

    if (open->record_count < 2)
        return;
    if (open->is_cut) {
        engine->cut++;
        return;
    }
    points = find_points(open, &count);
    if (count > engine->events_most) {
        count = engine->events_most;
        engine->cut++;
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count; j++) {
            if (points[i].variable != points[j].variable)
                add_two(engine, open, &points[i], &points[j], period);
        }
    }
    free(points);
}

void darn_vblocks_emit(struct darn_vblocks_engine *engine, struct darn_vopen *open)
{
    open->is_open = false;
    if (open->record_count && is_known(engine, open)) {
        engine->repeated++;
    } else if (open->record_count) {
        uint32_t period = darn_periods_keep(engine->base.periods, open->thread);

        emit_ones(engine, open, period);
        emit_twos(engine, open, period);
        darn_periods_drop(engine->base.periods, period);
    }
    for (size_t i = 0; i < open->record_count; i++) {
        uint32_t variable = open->records[i].variable;
        struct darn_vvariable *of = variable_at(engine, variable);

        if (--of->users == 0 && of->variable.is_gone)
            darn_vblocks_end_variable(engine, variable);
    }
}

void darn_vblocks_emit_single(struct darn_vblocks_engine *engine, uint32_t variable,
                              const struct darn_event *event, bool writes)
{
    struct darn_atombase *base = &engine->base;
    struct darn_vvariable *of = variable_at(engine, variable);
    struct darn_period now = darn_periods_now(base->periods, event->thread);
    uint32_t set = darn_held_set(base->held, event->thread);
    uint8_t op = writes ? DARN_VOP_WRITE : DARN_VOP_READ;
    struct darn_vblock block = {
        .side = {{event->site, set, op, writes}},
        .example = {.stack = {event->stack},
                    .holding = {darn_held_holding(base->held, event->thread)},
                    .thread = event->thread},
    };

    if (of->single_op == op && of->single_site == event->site && of->single_set == set &&
        darn_period_equal(of->single_period, now))
        return;
    block.period = darn_periods_keep(base->periods, event->thread);
    add_one(engine, variable, &block);
    darn_periods_drop(base->periods, block.period);
    of->single_op = op;
    of->single_site = event->site;
    of->single_set = set;
    of->single_period = now;
}
