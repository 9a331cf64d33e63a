#include "plugin/section/section_walk.h"

#include "site/site_section.h"

static int leads_elsewhere(const struct darn_path *path, const struct darn_code_event *event)
{
    if (!event->gone)
        return 0;
    for (unsigned i = 0; i < path->leaf_count; i++) {
        if (path->leaves[i] == event->gone)
            return 1;
    }
    return 0;
}

static void note_end(struct darn_section_walk *walk, const struct darn_code_event *event)
{
    for (unsigned i = 0; i < walk->end_count; i++) {
        if (walk->ends[i] == event)
            return;
    }
    if (walk->end_count == DARN_WALK_ENDS)
        walk->overflow = 1;
    else
        walk->ends[walk->end_count++] = event;
}

/* Goes through the events of the block from number `from` on. */
static enum darn_walk_step scan(struct darn_section_walk *walk, unsigned block, unsigned from,
                                uint16_t *inside)
{
    struct darn_code *code = walk->code;

    for (unsigned i = from; i < code->first_event[block + 1]; i++) {
        const struct darn_code_event *event = &code->events[i];
        enum darn_walk_step step = DARN_STEP_ON;

        if (code->budget)
            code->budget--;
        if (event->access || event->callee)
            step = walk->judge(walk, event, block);
        if (step == DARN_STEP_END) {
            note_end(walk, event);
            if (event->callee)
                *inside |= event->inside;
        }
        if (step != DARN_STEP_ON)
            return step;
        if (leads_elsewhere(walk->path, event))
            return DARN_STEP_STOP;
        *inside |= event->inside;
    }
    return DARN_STEP_ON;
}

static int find_seen(const struct darn_section_walk *walk, unsigned block)
{
    for (unsigned i = 0; i < walk->seen_count; i++) {
        if (walk->seen[i].block == block)
            return (int)i;
    }
    return -1;
}

static void see(struct darn_section_walk *walk, unsigned block)
{
    if (walk->seen_count == DARN_WALK_BLOCKS || find_seen(walk, block) >= 0)
        return;
    walk->seen[walk->seen_count].outcome = DARN_STEP_ON;
    walk->seen[walk->seen_count].can = 0;
    walk->seen[walk->seen_count].inside = 0;
    walk->seen[walk->seen_count++].block = block;
}

static void see_successors(struct darn_section_walk *walk, unsigned block)
{
    const struct darn_code *code = walk->code;

    for (unsigned i = code->first_after[block]; i < code->first_after[block + 1]; i++)
        see(walk, code->after[i]);
}

static int can_end(const struct darn_section_walk *walk, unsigned block)
{
    int number = find_seen(walk, block);

    return number >= 0 && walk->seen[number].can;
}

static int successor_can(const struct darn_section_walk *walk, unsigned block)
{
    const struct darn_code *code = walk->code;

    for (unsigned i = code->first_after[block]; i < code->first_after[block + 1]; i++) {
        if (can_end(walk, code->after[i]))
            return 1;
    }
    return 0;
}

/* From which blocks an end can be reached. */
static void look_back(struct darn_section_walk *walk)
{
    int changed = 1;

    for (unsigned i = 0; i < walk->seen_count; i++)
        walk->seen[i].can = walk->seen[i].outcome == DARN_STEP_END;
    while (changed) {
        changed = 0;
        for (unsigned i = walk->seen_count; i-- > 0;) {
            if (walk->seen[i].can || walk->seen[i].outcome != DARN_STEP_ON ||
                !successor_can(walk, walk->seen[i].block))
                continue;
            walk->seen[i].can = changed = 1;
        }
    }
}

/* Whether whoever comes to the block has to be told that the section is left there. */
static int is_way_out(const struct darn_section_walk *walk, unsigned block)
{
    LLVMBasicBlockRef at = walk->code->flow.blocks[block];
    int number = find_seen(walk, block);

    if (number >= 0 && (walk->seen[number].can || walk->seen[number].outcome == DARN_STEP_AGAIN))
        return 0;
    return !LLVMIsAUnreachableInst(LLVMGetBasicBlockTerminator(at));
}

static void note_ways_out(struct darn_section_walk *walk, unsigned block)
{
    const struct darn_code *code = walk->code;

    for (unsigned i = code->first_after[block]; i < code->first_after[block + 1]; i++) {
        unsigned next = code->after[i], known = 0;

        if (!is_way_out(walk, next))
            continue;
        while (known < walk->leave_count && walk->leaves[known] != next)
            known++;
        if (known < walk->leave_count)
            continue;
        if (walk->leave_count == DARN_WALK_LEAVES)
            walk->overflow = 1;
        else
            walk->leaves[walk->leave_count++] = next;
    }
}

/* A way back within the region that does not lead through the entry. */
static int has_way_back(const struct darn_section_walk *walk, unsigned from, unsigned entry)
{
    const struct darn_code *code = walk->code;

    for (unsigned i = code->first_after[from]; i < code->first_after[from + 1]; i++) {
        if (code->after[i] <= from && code->after[i] != entry && can_end(walk, code->after[i]))
            return 1;
    }
    return 0;
}

static int is_return(const struct darn_code *code, unsigned block)
{
    return LLVMIsAReturnInst(LLVMGetBasicBlockTerminator(code->flow.blocks[block])) != NULL;
}

/* What the blocks of the region contain, and where it is left. */
static void finish(struct darn_section_walk *walk, unsigned entry, uint16_t inside)
{
    walk->inside |= inside;
    note_ways_out(walk, entry);
    for (unsigned i = 0; i < walk->seen_count; i++) {
        if (!walk->seen[i].can)
            continue;
        walk->inside |= walk->seen[i].inside;
        if (walk->seen[i].outcome != DARN_STEP_ON)
            continue;
        note_ways_out(walk, walk->seen[i].block);
        if (has_way_back(walk, walk->seen[i].block, entry))
            walk->inside |= DARN_SECTION_LOOPS;
    }
}

int darn_walk(struct darn_section_walk *walk, unsigned block, int from)
{
    unsigned first = from < 0 ? walk->code->first_event[block] : (unsigned)from + 1;
    uint16_t inside = 0;
    enum darn_walk_step step = scan(walk, block, first, &inside);

    if (step == DARN_STEP_ON) {
        walk->returns = is_return(walk->code, block);
        see_successors(walk, block);
    }
    for (unsigned i = 0; i < walk->seen_count && walk->code->budget; i++) {
        unsigned next = walk->seen[i].block;

        walk->seen[i].outcome =
            scan(walk, next, walk->code->first_event[next], &walk->seen[i].inside);
        walk->code->budget -= walk->code->budget != 0;
        if (walk->seen[i].outcome != DARN_STEP_ON)
            continue;
        walk->returns |= is_return(walk->code, next);
        see_successors(walk, next);
    }
    if (!walk->code->budget || !walk->end_count || walk->overflow)
        return 0;
    look_back(walk);
    if (step == DARN_STEP_ON)
        finish(walk, block, inside);
    else
        walk->inside |= inside;
    return 1;
}
