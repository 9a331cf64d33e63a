/*
 * Blocks whose period happens before everything that is still to come can be compared with nothing
 * new. In a program that goes through barriers, or starts threads for each round of its work, these
 * are most of the blocks; they are checked and removed, so that memory is bounded by the blocks of
 * the last round.
 */
#include <stdlib.h>

#include "engine/atomicity/vblocks.h"
#include "base/grow.h"

/* Before there are so many blocks it is not worth the time. A thread that nobody is seen to have
 * forked would be concurrent with what is removed: in small traces nothing is. */
#define FEWEST 8192

static bool is_past(struct darn_vblocks_engine *engine, uint32_t kept)
{
    struct darn_periods *periods = engine->base.periods;
    struct darn_period period = darn_periods_kept(periods, kept);

    for (uint32_t i = 0; i < engine->threads.count; i++) {
        uint32_t number = engine->numbers[i];

        if (engine->is_live[i] && (!darn_periods_before_now(periods, period, number) ||
                                   darn_period_equal(period, darn_periods_now(periods, number))))
            return false;
    }
    return true;
}

/* Which blocks are past, by id. Blocks of one period mostly stand together. */
static bool *find_past(struct darn_vblocks_engine *engine, size_t *count)
{
    bool *past = darn_need_memory(calloc(engine->blocks.all.fresh + 1, sizeof(*past)));
    uint32_t last = 0;
    bool answer = false;

    *count = 0;
    for (uint32_t id = 1; id <= engine->blocks.all.fresh; id++) {
        uint32_t period = darn_vblock_at(&engine->blocks, id)->period;

        if (!period)
            continue;
        if (period != last)
            answer = is_past(engine, period);
        last = period;
        past[id] = answer;
        *count += answer;
    }
    return past;
}

void darn_vblocks_end_sets(struct darn_vblocks_engine *engine)
{
    for (uint32_t i = 1; i <= engine->pairs.all.fresh; i++) {
        const struct darn_vpair_entry *pair = darn_vpair_at(&engine->pairs, i);
        struct darn_vtarget place;

        if (!pair->variable[0])
            continue;
        place = darn_vblocks_place(engine, pair->variable[0], pair->variable[1]);
        darn_vsets_end(&engine->sets, pair->set, &place);
    }
    for (uint32_t i = 1; i <= engine->base.variables.fresh; i++) {
        const struct darn_vvariable *of = darn_atom_variable(&engine->base, i);
        struct darn_vtarget place;

        if (!of->variable.serial)
            continue;
        place = darn_vblocks_place(engine, i, 0);
        darn_vsets_end(&engine->sets, of->set, &place);
    }
}

static void strip_sets(struct darn_vblocks_engine *engine, const bool *past)
{
    for (uint32_t i = 1; i <= engine->pairs.all.fresh; i++) {
        struct darn_vpair_entry *pair = darn_vpair_at(&engine->pairs, i);

        if (!pair->variable[0])
            continue;
        pair->set = darn_vsets_strip(&engine->sets, pair->set, past);
        if (!pair->set)
            darn_vpairs_remove(&engine->pairs, i);
    }
    for (uint32_t i = 1; i <= engine->base.variables.fresh; i++) {
        struct darn_vvariable *of = darn_atom_variable(&engine->base, i);

        if (of->variable.serial)
            of->set = darn_vsets_strip(&engine->sets, of->set, past);
    }
}

/* Where there is no room for more, as many must have been turned away since the last time. */
static bool is_due(const struct darn_vblocks_engine *engine)
{
    size_t many = engine->retire_at > FEWEST ? engine->retire_at : FEWEST;

    return engine->blocks.all.used >= many ||
           engine->blocks_full >= engine->retire_full + engine->blocks_most;
}

void darn_vblocks_retire(struct darn_vblocks_engine *engine)
{
    size_t count;
    bool *past;

    if (!is_due(engine))
        return;
    past = find_past(engine, &count);
    if (2 * count >= engine->blocks.all.used) {
        darn_atombase_measure(&engine->base);
        darn_vblocks_end_sets(engine);
        darn_vcheck_sets(&engine->check);
        strip_sets(engine, past);
        for (uint32_t id = 1; id <= engine->blocks.all.fresh; id++) {
            if (past[id])
                darn_vblocks_remove(&engine->blocks, id);
        }
        engine->retired += count;
    }
    engine->retire_at = engine->blocks.all.used + engine->blocks.all.used / 2 + FEWEST / 2;
    engine->retire_full = engine->blocks_full;
    free(past);
}
