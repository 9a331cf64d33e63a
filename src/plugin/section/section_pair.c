/*
 * AI pairs (AtomRace 4.2): two accesses to one variable that follow each other on some path, also
 * by way of functions that are called.
 *
 * Accesses that others cover (select.h) do not count unless a pattern needs them anyway: between
 * them and the one that covers them there is nothing but computation, and their hooks would cost
 * every run.
 */
#include "plugin/section/plugin_section.h"

/* A pair that can be left in more places is hardly meant to be one, and every place costs. */
#define MAX_LEAVES 12

/* The accesses at which the walk has ended. 0 if there are too many. */
static unsigned collect_ends(const struct darn_code *code, const struct darn_section_walk *walk,
                             uint64_t hash, struct darn_section_end *ends)
{
    unsigned count = 0;

    for (unsigned i = 0; i < walk->end_count; i++) {
        const struct darn_code_event *event = walk->ends[i];

        if (event->access) {
            if (count == DARN_SECTION_POINTS)
                return 0;
            ends[count++] =
                (struct darn_section_end){&code->accesses.items[event->access - 1], NULL};
            continue;
        }
        for (uint32_t j = 0; j < event->joined_count; j++) {
            const struct darn_joined *joined = &code->joined[event->first_joined + j];

            if (joined->is_last || joined->hash != hash)
                continue;
            if (count == DARN_SECTION_POINTS)
                return 0;
            ends[count++] = (struct darn_section_end){joined->outer->access, event->instruction};
        }
    }
    return count;
}

static void find_from(struct darn_section_finder *sections, struct darn_code *code, unsigned block,
                      unsigned event, struct darn_section_end entry, const struct darn_path *path,
                      uint64_t hash)
{
    size_t number = entry.call ? 0 : (size_t)(entry.access - code->accesses.items) + 1;
    struct darn_next next = {code, hash, number};
    struct darn_section_walk walk = {
        .code = code, .judge = darn_section_judge_next, .context = &next, .path = path};
    struct darn_section_end ends[DARN_SECTION_POINTS];
    unsigned count;

    if (!darn_walk(&walk, block, (int)event) || walk.leave_count > MAX_LEAVES)
        return;
    if (entry.call) /* behind the access, before the return */
        walk.inside |= code->events[event].inside;
    count = collect_ends(code, &walk, hash, ends);
    if (count)
        darn_section_add(sections, code, DARN_SECTION_PAIR, entry, ends, count, &walk);
}

static void find_from_event(struct darn_section_finder *sections, struct darn_code *code,
                            unsigned block, unsigned number)
{
    const struct darn_code_event *event = &code->events[number];

    if (event->access) {
        const struct darn_plugin_access *access = &code->accesses.items[event->access - 1];
        const struct darn_path_variable *variable = darn_code_variable(code, event->access - 1);

        if (variable && (!access->dropped || access->extra) && darn_code_is_point(access))
            find_from(sections, code, block, number, (struct darn_section_end){access, NULL},
                      &variable->path, variable->hash);
        return;
    }
    for (uint32_t i = 0; i < event->joined_count; i++) {
        const struct darn_joined *joined = &code->joined[event->first_joined + i];

        if (joined->is_last)
            find_from(sections, code, block, number,
                      (struct darn_section_end){joined->outer->access, event->instruction},
                      &joined->path, joined->hash);
    }
}

void darn_sections_find_pairs(struct darn_section_finder *sections, struct darn_code *code)
{
    if (!code->has_flow)
        return;
    darn_section_summarize(sections, code);
    for (unsigned i = 0; i < code->flow.count; i++) {
        for (unsigned j = code->first_event[i]; j < code->first_event[i + 1]; j++)
            find_from_event(sections, code, i, j);
    }
}
