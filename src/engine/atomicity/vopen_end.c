/* What an open transaction (vopen.h) says at its end. */
#include "engine/atomicity/vopen.h"

uint32_t darn_vopen_held(const struct darn_vopen *open, struct darn_locksets *sets,
                         const struct darn_vevent *first, const struct darn_vevent *second)
{
    uint32_t held = DARN_LOCKSET_EMPTY;

    if (first->step == second->step)
        return second->set;
    for (uint32_t at = second->node; at; at = open->nodes[at].outer) {
        const struct darn_vnode *node = &open->nodes[at];

        if (node->time < first->time)
            held = darn_lockset_add(sets, held, node->lock, node->is_exclusive);
    }
    return held;
}

/* Locks acquired after the first and given back before the second, and held at neither. */
uint32_t darn_vopen_mid(const struct darn_vopen *open, struct darn_locksets *sets,
                        const struct darn_vevent *first, const struct darn_vevent *second)
{
    uint32_t mid = DARN_LOCKSET_EMPTY;

    if (first->step == second->step)
        return mid;
    for (size_t i = 0; i < open->section_count && open->sections[i].released < second->time; i++) {
        const struct darn_vsection *section = &open->sections[i];

        if (section->acquired >= first->time &&
            !darn_lockset_contains(sets, first->set, section->lock) &&
            !darn_lockset_contains(sets, second->set, section->lock))
            mid = darn_lockset_add(sets, mid, section->lock, section->is_exclusive);
    }
    return mid;
}

static struct darn_vside side_of(const struct darn_vevent *event, bool is_final)
{
    return (struct darn_vside){event->site, event->set, event->op, is_final};
}

static void set_events(struct darn_vblock *block, const struct darn_vopen *open,
                       const struct darn_vevent *first, const struct darn_vevent *second)
{
    block->unit = open->unit;
    block->example = (struct darn_vexample){
        .stack = {first->stack, second ? second->stack : 0},
        .holding = {first->holding, second ? second->holding : DARN_HOLDING_NOTHING},
        .thread = open->thread,
    };
}

/* Rule b: the final write with an initial read; what rule a has made already comes out once more
 * and is the same block. */
static bool with_final_write(const struct darn_vopen *open, struct darn_locksets *sets,
                             const struct darn_vrecord *record, uint32_t read,
                             struct darn_vblock *block)
{
    const struct darn_vevent *first = &record->reads[read], *second = &record->last_write;

    if (first->time == second->time)
        return false;
    block->side[0] = side_of(first, false);
    block->side[1] = side_of(second, true);
    block->held = darn_vopen_held(open, sets, first, second);
    set_events(block, open, first, second);
    return true;
}

/* The only event of its variable, with a dummy. */
static void alone(const struct darn_vopen *open, const struct darn_vevent *event, bool is_final,
                  struct darn_vblock *block)
{
    block->side[0] = side_of(event, is_final);
    set_events(block, open, event, NULL);
}

bool darn_vopen_next(const struct darn_vopen *open, struct darn_locksets *sets,
                     const struct darn_vrecord *record, uint32_t *at, struct darn_vblock *block)
{
    uint32_t singles = record->count == 1 ? record->has_write + record->has_read : 0, read;

    *block = (struct darn_vblock){.held = DARN_LOCKSET_EMPTY, .mid = DARN_LOCKSET_EMPTY};
    while (*at < record->pair_count) {
        const struct darn_vpair *pair = &record->pairs[(*at)++];

        block->side[0] = side_of(&pair->event[0], pair->is_last[0]);
        block->side[1] = side_of(&pair->event[1], pair->is_last[1]);
        block->held = pair->held;
        set_events(block, open, &pair->event[0], &pair->event[1]);
        return true;
    }
    while ((read = *at - record->pair_count) < record->read_count) {
        ++*at;
        if (record->has_write && with_final_write(open, sets, record, read, block))
            return true;
    }
    if (read - record->read_count >= singles)
        return false;
    /* Both halves of an update, if that was it. */
    if (read == record->read_count && record->has_write)
        alone(open, &record->last_write, true, block);
    else
        alone(open, &record->last_read, false, block);
    ++*at;
    return true;
}

size_t darn_vopen_memory(const struct darn_vopen *open)
{
    return open->node_capacity * sizeof(*open->nodes) +
           open->section_capacity * sizeof(*open->sections) +
           open->record_capacity * sizeof(*open->records) + darn_htable_memory(&open->table) +
           open->lists;
}
