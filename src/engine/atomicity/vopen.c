#include "engine/atomicity/vopen.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"

void darn_vopen_free(struct darn_vopen *open)
{
    for (size_t i = 0; i < open->record_capacity; i++) {
        free(open->records[i].reads);
        free(open->records[i].pairs);
    }
    free(open->records);
    free(open->nodes);
    free(open->sections);
    darn_htable_free(&open->table);
    *open = (struct darn_vopen){.is_open = false};
}

static void sign(struct darn_vopen *open, uint64_t what)
{
    open->signature[0] = darn_fold(open->signature[0], what);
    open->signature[1] = darn_mix(open->signature[1] + what);
}

/* How many nodes there may be before those that nobody asks for any more are looked for. */
#define NODES 4096

static uint32_t move_node(struct darn_vopen *open, const struct darn_vnode *from, uint32_t *moved,
                          uint32_t at)
{
    struct darn_vnode node = from[at];

    if (!at || moved[at])
        return at ? moved[at] : 0;
    node.outer = move_node(open, from, moved, node.outer);
    open->nodes[++open->node_count] = node;
    return moved[at] = (uint32_t)open->node_count;
}

/* A long transaction acquires locks all the time: only what events that may still become part of a
 * block have held is kept. */
static void clean_nodes(struct darn_vopen *open)
{
    struct darn_vnode *from = open->nodes;
    uint32_t *moved = darn_need_memory(calloc(open->node_count + 1, sizeof(*moved)));

    open->nodes = darn_need_memory(calloc(open->node_capacity, sizeof(*open->nodes)));
    open->node_count = 0;
    open->top = move_node(open, from, moved, open->top);
    for (size_t i = 0; i < open->record_count; i++) {
        struct darn_vrecord *record = &open->records[i];

        for (uint32_t j = 0; j < record->read_count; j++)
            record->reads[j].node = move_node(open, from, moved, record->reads[j].node);
        if (record->has_read)
            record->last_read.node = move_node(open, from, moved, record->last_read.node);
        if (record->has_write)
            record->last_write.node = move_node(open, from, moved, record->last_write.node);
    }
    open->clean_at = 2 * open->node_count + NODES;
    free(from);
    free(moved);
}

static uint32_t add_node(struct darn_vopen *open, struct darn_vnode node)
{
    open->nodes =
        darn_grow(open->nodes, &open->node_capacity, open->node_count + 2, sizeof(*open->nodes));
    open->nodes[++open->node_count] = node;
    return (uint32_t)open->node_count;
}

static void push(struct darn_vopen *open, uint64_t lock, bool is_exclusive, uint32_t time)
{
    struct darn_vnode node = {lock, open->top, time, is_exclusive};

    open->top = add_node(open, node);
    open->top_count++;
}

void darn_vopen_begin(struct darn_vopen *open, const struct darn_held *held, uint32_t thread,
                      uint32_t unit)
{
    struct darn_held_thread now = darn_held_of(held, thread);

    open->thread = thread;
    open->unit = unit;
    open->is_open = true;
    open->is_cut = false;
    open->time = open->step = 0;
    open->top = open->top_count = 0;
    open->clean_at = NODES;
    darn_htable_clear(&open->table);
    open->node_count = open->section_count = open->record_count = 0;
    open->signature[0] = open->signature[1] = unit + UINT64_C(1);
    for (uint32_t i = 0; i < now.count; i++) {
        push(open, now.locks[i].lock, darn_lock_is_exclusive(now.locks[i].kind), 0);
        sign(open, now.locks[i].lock << 2 | now.locks[i].kind);
    }
}

void darn_vopen_acquire(struct darn_vopen *open, uint64_t lock, bool is_exclusive)
{
    if (open->node_count > open->clean_at)
        clean_nodes(open);
    open->step++;
    push(open, lock, is_exclusive, open->time);
    sign(open, lock << 2 | 2 | is_exclusive);
}

/* Takes the lock out of the chain. What was acquired after it keeps its time. */
static uint32_t without(struct darn_vopen *open, uint32_t at, uint64_t lock,
                        struct darn_vnode *found)
{
    struct darn_vnode node = open->nodes[at];

    if (node.lock == lock) {
        *found = node;
        return node.outer;
    }
    node.outer = without(open, node.outer, lock, found);
    return add_node(open, node);
}

static bool has_lock(const struct darn_vopen *open, uint64_t lock)
{
    uint32_t at = open->top;

    while (at && open->nodes[at].lock != lock)
        at = open->nodes[at].outer;
    return at != 0;
}

void darn_vopen_release(struct darn_vopen *open, uint64_t lock)
{
    struct darn_vnode found;

    if (!has_lock(open, lock))
        return;
    open->step++;
    open->top = without(open, open->top, lock, &found);
    open->top_count--;
    sign(open, lock << 2 | 1);
    if (open->section_count == DARN_VOPEN_SECTIONS) {
        open->is_cut = true;
        return;
    }
    open->sections = darn_grow(open->sections, &open->section_capacity, open->section_count + 1,
                               sizeof(*open->sections));
    open->sections[open->section_count++] =
        (struct darn_vsection){lock, found.time, open->time, found.is_exclusive};
}

/* Another thread has given back a lock of this one. */
static void follow(struct darn_vopen *open, const struct darn_held *held)
{
    uint64_t gone = 0;

    for (bool found = true; found;) {
        found = false;
        for (uint32_t at = open->top; at && !found; at = open->nodes[at].outer) {
            gone = open->nodes[at].lock;
            found = !darn_held_find(held, open->thread, gone);
        }
        if (found)
            darn_vopen_release(open, gone);
    }
}

/* The index of the variable's record + 1; 0: none. */
static uint32_t find_record(const struct darn_vopen *open, uint32_t variable)
{
    uint32_t hash = darn_spread(variable), known;
    size_t at = hash;

    while ((known = darn_htable_next(&open->table, hash, &at)) &&
           open->records[known - 1].variable != variable)
        continue;
    return known;
}

/* Its lists are used again. */
static struct darn_vrecord *add_record(struct darn_vopen *open, uint32_t variable)
{
    struct darn_vrecord *record;

    open->records = darn_grow(open->records, &open->record_capacity, open->record_count + 1,
                              sizeof(*open->records));
    record = &open->records[open->record_count++];
    darn_htable_add(&open->table, darn_spread(variable), (uint32_t)open->record_count);
    *record = (struct darn_vrecord){.variable = variable,
                                    .reads = record->reads,
                                    .read_capacity = record->read_capacity,
                                    .pairs = record->pairs,
                                    .pair_capacity = record->pair_capacity};
    return record;
}

static void *grow_list(struct darn_vopen *open, void *list, uint32_t *capacity, uint32_t need,
                       size_t item)
{
    uint32_t more = *capacity ? 2 * *capacity : 2;

    if (need <= *capacity)
        return list;
    open->lists += (more - *capacity) * item;
    *capacity = more;
    return darn_need_memory(reallocarray(list, more, item));
}

static bool same(const struct darn_vevent *a, const struct darn_vevent *b)
{
    return a->op == b->op && a->site == b->site && a->set == b->set;
}

static bool same_pair(const struct darn_vpair *a, const struct darn_vpair *b)
{
    return a->held == b->held && a->is_last[0] == b->is_last[0] && a->is_last[1] == b->is_last[1] &&
           same(&a->event[0], &b->event[0]) && same(&a->event[1], &b->event[1]);
}

/* The paper's cache of the most recent patterns, but with all of this transaction. */
static void add_pair(struct darn_vopen *open, struct darn_vrecord *record,
                     const struct darn_vpair *pair)
{
    for (uint32_t i = record->pair_count; i-- > 0;) {
        if (same_pair(&record->pairs[i], pair))
            return;
    }
    record->pairs = grow_list(open, record->pairs, &record->pair_capacity, record->pair_count + 1,
                              sizeof(*record->pairs));
    record->pairs[record->pair_count++] = *pair;
}

/* There is a later write: what was the last one is not the final one. */
static void not_final(struct darn_vopen *open, struct darn_vrecord *record)
{
    uint32_t count = record->pair_count, kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        struct darn_vpair pair = record->pairs[i];

        pair.is_last[0] = pair.is_last[1] = false;
        record->pair_count = kept;
        add_pair(open, record, &pair);
        kept = record->pair_count;
    }
}

/* Rule a: with the last write before it, or if there is none with the last read. */
static void pair_up(struct darn_vopen *open, struct darn_locksets *sets,
                    struct darn_vrecord *record, const struct darn_vevent *event)
{
    const struct darn_vevent *first = record->has_write  ? &record->last_write
                                      : record->has_read ? &record->last_read
                                                         : NULL;
    bool writes = event->op == DARN_VOP_WRITE;
    struct darn_vpair pair = {.is_last = {first && first->op == DARN_VOP_WRITE && !writes, writes}};

    if (writes)
        not_final(open, record);
    /* The two halves of an update are one event. */
    if (!first || first->time == event->time)
        return;
    pair.event[0] = *first;
    pair.event[1] = *event;
    pair.held = darn_vopen_held(open, sets, first, event);
    add_pair(open, record, &pair);
}

static void add_initial(struct darn_vopen *open, struct darn_vrecord *record,
                        const struct darn_vevent *event)
{
    for (uint32_t i = record->read_count; i-- > 0;) {
        if (record->reads[i].step == event->step && record->reads[i].site == event->site)
            return;
    }
    if (record->read_count == DARN_VOPEN_READS) {
        open->thinned++;
        record->reads[DARN_VOPEN_READS - 1] = *event;
        return;
    }
    record->reads = grow_list(open, record->reads, &record->read_capacity, record->read_count + 1,
                              sizeof(*record->reads));
    record->reads[record->read_count++] = *event;
}

static void note(struct darn_vopen *open, struct darn_locksets *sets, struct darn_vrecord *record,
                 const struct darn_vevent *event)
{
    pair_up(open, sets, record, event);
    if (event->op == DARN_VOP_WRITE) {
        record->last_write = *event;
        record->has_write = true;
    } else if (!record->has_write) {
        add_initial(open, record, event);
        record->last_read = *event;
        record->has_read = true;
    }
}

/* Three times the same with nothing between: all that follows from it has been noted. */
static bool is_repeated(struct darn_vopen *open, struct darn_vrecord *record,
                        const struct darn_event *event, uint8_t op)
{
    if (record->last_site != event->site || record->last_step != open->step ||
        record->last_op != op) {
        record->last_site = event->site;
        record->last_step = open->step;
        record->last_op = op;
        record->repeats = 0;
        return false;
    }
    if (++record->repeats < 3)
        return false;
    if (op == DARN_VOP_WRITE)
        record->last_write.time = open->time;
    else if (!record->has_write)
        record->last_read.time = open->time;
    return true;
}

bool darn_vopen_access(struct darn_vopen *open, struct darn_locksets *sets,
                       const struct darn_held *held, uint32_t variable, uint64_t serial,
                       const struct darn_event *event, enum darn_vop op, bool is_second)
{
    struct darn_vrecord *record;
    struct darn_vevent made;
    uint32_t known;

    if (darn_held_of(held, open->thread).count != open->top_count)
        follow(open, held);
    open->time += !is_second;
    sign(open, serial << 8 | op);
    sign(open, event->site);
    known = find_record(open, variable);
    record = known ? &open->records[known - 1] : add_record(open, variable);
    if (!is_second && record->count < 2)
        record->count++;
    if (is_repeated(open, record, event, (uint8_t)op))
        return !known;
    made = (struct darn_vevent){.site = event->site,
                                .stack = event->stack,
                                .holding = darn_held_holding(held, open->thread),
                                .set = darn_held_set(held, open->thread),
                                .node = open->top,
                                .time = open->time,
                                .step = open->step,
                                .op = (uint8_t)op};
    note(open, sets, record, &made);
    return !known;
}

bool darn_vopen_split(struct darn_vopen *open, uint32_t whole, uint32_t part)
{
    struct darn_vrecord *record, *copy;
    uint32_t known = open->is_open ? find_record(open, whole) : 0;

    if (!known)
        return false;
    copy = add_record(open, part);
    record = &open->records[known - 1];
    for (uint32_t i = 0; i < record->pair_count; i++)
        add_pair(open, copy, &record->pairs[i]);
    for (uint32_t i = 0; i < record->read_count; i++) {
        copy->reads =
            grow_list(open, copy->reads, &copy->read_capacity, i + 1, sizeof(*copy->reads));
        copy->reads[copy->read_count++] = record->reads[i];
    }
    copy->count = record->count;
    copy->has_read = record->has_read;
    copy->has_write = record->has_write;
    copy->last_read = record->last_read;
    copy->last_write = record->last_write;
    return true;
}
