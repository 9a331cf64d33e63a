#include "runtime/control/control_coverage.h"

#include "base/hash.h"
#include "runtime/control/control.h"
#include "runtime/control/turn.h"

/* Pairs that the run has seen already, as hashes. When it is full, pairs are listed twice. */
#define PAIRS 8192

static uint64_t pairs[PAIRS];

static void note_read(uint64_t read, uint64_t write)
{
    struct darn_result *result = &darn_control->result;
    uint64_t hash = darn_hash_number(darn_hash_number(DARN_HASH_START, read), write) | 1;

    for (uint32_t i = 0; i < 16; i++) {
        uint64_t *pair = &pairs[(hash + i) % PAIRS];

        if (*pair == hash)
            return;
        if (!*pair) {
            *pair = hash;
            break;
        }
    }
    if (result->read_count < DARN_BLOCK_READS)
        darn_control->reads[result->read_count++] = (struct darn_block_read){read, write};
}

/* A thread that is cancelled may find that out at each of its next steps. */
static void reach(struct darn_slot *cancelled, uint64_t hash)
{
    if (cancelled)
        cancelled->hash = darn_hash_number(cancelled->hash, hash);
}

/*
 * The hash of a step is made of what it is, of the step before in its thread, and of the steps on
 * its object that it cannot be exchanged with: the last one that changed it and, for a change, all
 * that have looked at it since. The sum over all steps is the same for two runs that differ in the
 * order of independent steps only (Mazurkiewicz).
 */
static void note_order(struct darn_slot *slot)
{
    struct darn_object *object = slot->target;
    bool changes = darn_step_changes(slot->op);
    uint64_t hash = darn_hash_number(slot->hash, slot->number);

    hash = darn_hash_number(hash, (uint64_t)slot->op << 32 | slot->own);
    hash = darn_hash_number(hash, slot->place);
    if (object) {
        hash = darn_hash_number(hash, object->changed);
        hash = darn_hash_number(hash, changes ? object->seen : 0);
        if (changes) {
            object->changed = hash;
            object->seen = 0;
        } else {
            object->seen += hash;
        }
    }
    if (slot->op == DARN_STEP_CANCEL)
        reach(darn_turn_slot_of((uint32_t)slot->object), hash);
    slot->hash = hash;
    darn_control->result.partial_order += hash;
}

void darn_coverage_step(struct darn_slot *slot)
{
    if (darn_control_wants(DARN_RUN_COVERAGE)) {
        if (slot->target && darn_step_observes(slot->op))
            note_read(slot->place, slot->target->writer);
        note_order(slot);
    }
    if (slot->target && darn_step_changes(slot->op))
        slot->target->writer = slot->place;
}
