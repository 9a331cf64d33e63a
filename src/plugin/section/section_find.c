/*
 * The two patterns (AtomRace 4.1).
 *
 * Load-and-store: what is stored was computed from what was loaded from the same variable. A
 * compare-exchange in between means that somebody looks after it himself.
 *
 * Test-and-use: what was loaded decides about a branch, and it is accessed again in the
 * branch taken. A load that is tested again in the same way (double-checked locking) is no use, nor
 * is one that does nothing but decide.
 */
#include <stdlib.h>
#include <string.h>

#include "plugin/section/plugin_section.h"
#include "plugin/section/plugin_source.h"

/* Blocks of a loop that is called tight. */
#define MAX_TIGHT 24

/* Branches that one load may decide. */
#define MAX_TAKEN 16

/* Stores that one load may flow into. */
#define MAX_STORES 16

/* A load and what becomes of it. */
struct load {
    size_t access;
    size_t stores[MAX_STORES];
    unsigned store_count;
    unsigned taken[MAX_TAKEN]; /* blocks that are entered by way of a branch that it decides */
    unsigned taken_count;
    LLVMValueRef test; /* its comparison with a constant that the first of them hangs on, or NULL */
};

struct finder {
    struct darn_section_finder *sections;
    struct darn_code *code;
    struct load *loads;
    size_t count, capacity;
    struct darn_map by_access; /* number + 1 -> number of its load + 1 */
    struct darn_map decisions; /* see decision() */
    const struct load *load;   /* the one that is being looked at */
};

/* The access of a load that can be an entry: its number + 1, or 0. */
static size_t entry_of(struct finder *finder, LLVMValueRef load)
{
    size_t number = darn_map_get(&finder->code->numbers, (uintptr_t)load, 0);

    if (!number || !darn_code_is_point(&finder->code->accesses.items[number - 1]) ||
        !darn_code_variable(finder->code, number - 1))
        return 0;
    return number;
}

static struct load *load_of(struct finder *finder, size_t access)
{
    uintptr_t known = darn_map_get(&finder->by_access, access + 1, 0);

    if (known)
        return &finder->loads[known - 1];
    if (finder->count == finder->capacity) {
        finder->capacity = finder->capacity ? 2 * finder->capacity : 32;
        finder->loads = realloc(finder->loads, finder->capacity * sizeof(*finder->loads));
        if (!finder->loads)
            abort();
    }
    finder->loads[finder->count] = (struct load){.access = access};
    darn_map_put(&finder->by_access, access + 1, ++finder->count);
    return &finder->loads[finder->count - 1];
}

static void find_stores(struct finder *finder)
{
    struct darn_code *code = finder->code;
    struct darn_value_source source;

    for (size_t i = 0; i < code->accesses.count; i++) {
        const struct darn_plugin_access *access = &code->accesses.items[i];
        const struct darn_path_variable *variable = darn_code_variable(code, i);

        if (!variable || !darn_code_is_point(access) || access->kind != DARN_SITE_WRITE)
            continue;
        darn_source_find(&source, &code->paths, LLVMGetOperand(access->instruction, 0), 1);
        for (unsigned j = 0; j < source.count; j++) {
            size_t entry = entry_of(finder, source.reads[j]);
            struct load *load;

            if (!entry || darn_code_variable(code, entry - 1) != variable)
                continue;
            load = load_of(finder, entry - 1);
            if (load->store_count < MAX_STORES)
                load->stores[load->store_count++] = i;
        }
    }
}

static LLVMValueRef condition_of(LLVMValueRef terminator)
{
    if (LLVMIsABranchInst(terminator))
        return LLVMIsConditional(terminator) ? LLVMGetCondition(terminator) : NULL;
    return LLVMIsASwitchInst(terminator) ? LLVMGetOperand(terminator, 0) : NULL;
}

/* A block whose branch is decided by what was loaded from this variable. */
static uintptr_t decision(const struct finder *finder, unsigned block, size_t access)
{
    return (uintptr_t)finder->code->variable_of[access] << 32 | (block + 1);
}

/* All ways into the block are branches that the variable decides: it is a part of the branch. A
 * loop has two after the optimizer has put a copy of its test in front of it. */
static int is_decided(const struct finder *finder, unsigned block, size_t access)
{
    const struct darn_flow *flow = &finder->code->flow;

    for (unsigned i = flow->first_before[block]; i < flow->first_before[block + 1]; i++) {
        if (!darn_map_get(&finder->decisions, decision(finder, flow->before[i], access), 0))
            return 0;
    }
    return 1;
}

static void note_taken(struct finder *finder, size_t access, unsigned next)
{
    struct load *load = load_of(finder, access);

    for (unsigned i = 0; i < load->taken_count; i++) {
        if (load->taken[i] == next)
            return;
    }
    if (load->taken_count < MAX_TAKEN && is_decided(finder, next, access))
        load->taken[load->taken_count++] = next;
}

static void note_test(struct finder *finder, size_t access, LLVMValueRef condition)
{
    struct load *load = load_of(finder, access);

    if (!load->test && LLVMIsAICmpInst(condition) &&
        LLVMGetOperand(condition, 0) == finder->code->accesses.items[access].instruction)
        load->test = condition;
}

/* Once to see which branches are decided, and once to see where they lead. */
static void find_branches(struct finder *finder, int lead)
{
    const struct darn_code *code = finder->code;
    struct darn_value_source source;

    for (unsigned i = 0; i < code->flow.count; i++) {
        LLVMValueRef condition = condition_of(LLVMGetBasicBlockTerminator(code->flow.blocks[i]));

        if (!condition)
            continue;
        darn_source_find(&source, &finder->code->paths, condition, 0);
        for (unsigned j = 0; j < source.count; j++) {
            size_t entry = entry_of(finder, source.reads[j]);

            if (!entry)
                continue;
            if (!lead) {
                darn_map_put(&finder->decisions, decision(finder, i, entry - 1), 1);
                note_test(finder, entry - 1, condition);
                continue;
            }
            for (unsigned k = code->first_after[i]; k < code->first_after[i + 1]; k++)
                note_taken(finder, entry - 1, code->after[k]);
        }
    }
}

/* The event of an access, in its block. */
static int event_of(const struct darn_code *code, size_t access, unsigned *block)
{
    LLVMValueRef instruction = code->accesses.items[access].instruction;

    *block = darn_code_block(code, LLVMGetInstructionParent(instruction));
    if (*block == UINT32_MAX)
        return -1; /* it cannot be reached */
    for (unsigned i = code->first_event[*block]; i < code->first_event[*block + 1]; i++) {
        if (code->events[i].instruction == instruction)
            return (int)i;
    }
    return -1;
}

static int is_exchange(const struct darn_code_event *event)
{
    return LLVMIsAAtomicCmpXchgInst(event->instruction) != NULL;
}

/* Whether the event is an access to the variable of the load. */
static int is_same_place(const struct finder *finder, const struct darn_code_event *event)
{
    const struct darn_code *code = finder->code;

    return event->access &&
           code->variable_of[event->access - 1] == code->variable_of[finder->load->access];
}

/* Whether the access is another load of the value that is written back: what was read before is not
 * used any more (`v = n; unlock(); lock(); v = n; n = v + 1`). */
static int is_read_again(const struct finder *finder, size_t access)
{
    uintptr_t known = darn_map_get(&finder->by_access, access + 1, 0);
    const struct load *again = known ? &finder->loads[known - 1] : NULL;

    for (unsigned i = 0; again && i < again->store_count; i++) {
        for (unsigned j = 0; j < finder->load->store_count; j++) {
            if (again->stores[i] == finder->load->stores[j])
                return 1;
        }
    }
    return 0;
}

static enum darn_walk_step judge_store(struct darn_section_walk *walk,
                                       const struct darn_code_event *event, unsigned block)
{
    const struct finder *finder = walk->context;

    (void)block;
    if (!is_same_place(finder, event))
        return DARN_STEP_ON;
    if (event->access - 1 == finder->load->access)
        return DARN_STEP_AGAIN;
    if (is_exchange(event) || is_read_again(finder, event->access - 1))
        return DARN_STEP_STOP;
    for (unsigned i = 0; i < finder->load->store_count; i++) {
        if (finder->load->stores[i] == event->access - 1)
            return DARN_STEP_END;
    }
    return DARN_STEP_ON;
}

static int is_in_branch(const struct finder *finder, unsigned block)
{
    for (unsigned i = 0; i < finder->load->taken_count; i++) {
        if (darn_flow_dominates(&finder->code->flow, finder->load->taken[i], block))
            return 1;
    }
    return 0;
}

/* Whether the access is a load that is compared as the first one was: the test is made again,
 * whatever else becomes of the value (`if (!p) { lock(); q = p; if (!q) ...`). */
static int is_tested_again(const struct finder *finder, size_t access)
{
    uintptr_t known = darn_map_get(&finder->by_access, access + 1, 0);
    const struct load *load = known ? &finder->loads[known - 1] : NULL;
    LLVMValueRef first = finder->load->test, again = load ? load->test : NULL;

    for (unsigned i = 0; load && i < load->taken_count; i++) {
        for (unsigned j = 0; j < finder->load->taken_count; j++) {
            if (load->taken[i] == finder->load->taken[j]) /* the same branch, as in a loop */
                return 1;
        }
    }
    return first && again && LLVMGetICmpPredicate(first) == LLVMGetICmpPredicate(again) &&
           LLVMGetOperand(first, 1) == LLVMGetOperand(again, 1);
}

static enum darn_walk_step judge_use(struct darn_section_walk *walk,
                                     const struct darn_code_event *event, unsigned block)
{
    const struct finder *finder = walk->context;
    struct darn_code *code = walk->code;

    if (!is_same_place(finder, event))
        return DARN_STEP_ON;
    if (event->access - 1 == finder->load->access)
        return DARN_STEP_AGAIN;
    if (!darn_code_is_point(&code->accesses.items[event->access - 1]) ||
        !is_in_branch(finder, block) ||
        darn_section_is_known(code, finder->load->access, event->access - 1, 0))
        return DARN_STEP_STOP;
    if (LLVMIsALoadInst(event->instruction) &&
        (is_tested_again(finder, event->access - 1) ||
         darn_source_only_decides(&code->paths, event->instruction)))
        return DARN_STEP_STOP;
    return DARN_STEP_END;
}

/* What was left out is needed. */
static void need(struct darn_code *code, size_t entry, size_t end)
{
    struct darn_plugin_access *from = &code->accesses.items[entry],
                              *to = &code->accesses.items[end];

    from->extra = from->dropped;
    to->extra = to->dropped;
    darn_section_is_known(code, entry, end, 1);
}

static int is_computation_only(const struct darn_code *code, unsigned block)
{
    for (unsigned i = code->first_event[block]; i < code->first_event[block + 1]; i++) {
        if (code->events[i].inside)
            return 0;
    }
    return 1;
}

/* Whether the block can come round again with nothing called in between. */
static int is_in_tight_loop(const struct darn_code *code, unsigned start)
{
    unsigned blocks[MAX_TIGHT] = {start}, count = 1;

    for (unsigned i = 0; i < count; i++) {
        unsigned from = blocks[i], known;

        if (!is_computation_only(code, from))
            continue;
        for (unsigned j = code->first_after[from]; j < code->first_after[from + 1]; j++) {
            if (code->after[j] == start)
                return 1;
            for (known = 0; known < count && blocks[known] != code->after[j]; known++)
                ;
            if (known == count && count < MAX_TIGHT)
                blocks[count++] = code->after[j];
        }
    }
    return 0;
}

/*
 * Where a tight loop walks through memory (row[i] += x), a hook for a read that needs none
 * otherwise would cost more than all others together.
 */
static int is_too_dear(const struct darn_code *code, size_t access, unsigned block)
{
    return code->accesses.items[access].dropped &&
           darn_code_variable(code, access)->path.leaf_count > 0 && is_in_tight_loop(code, block);
}

static void try_pattern(struct finder *finder, uint8_t kind, darn_walk_judge *judge)
{
    struct darn_code *code = finder->code;
    size_t entry = finder->load->access;
    struct darn_section_walk walk = {.code = code,
                                     .judge = judge,
                                     .context = finder,
                                     .path = &darn_code_variable(code, entry)->path};
    struct darn_section_end ends[DARN_WALK_ENDS];
    struct darn_section_end from = {&code->accesses.items[entry], NULL};
    unsigned block;
    int event = event_of(code, entry, &block);

    if (event < 0 || is_too_dear(code, entry, block) || !darn_walk(&walk, block, event))
        return;
    for (unsigned i = 0; i < walk.end_count; i++)
        need(code, entry, walk.ends[i]->access - 1);
    for (unsigned i = 0; i < walk.end_count; i++)
        ends[i] = (struct darn_section_end){&code->accesses.items[walk.ends[i]->access - 1], NULL};
    darn_section_add(finder->sections, code, kind, from, ends, walk.end_count, &walk);
}

void darn_sections_find(struct darn_section_finder *sections, struct darn_code *code)
{
    struct finder finder = {.sections = sections, .code = code};

    if (!code->has_flow)
        return;
    find_stores(&finder);
    find_branches(&finder, 0);
    find_branches(&finder, 1);
    for (size_t i = 0; i < finder.count; i++) {
        finder.load = &finder.loads[i];
        if (finder.load->store_count)
            try_pattern(&finder, DARN_SECTION_LOAD_STORE, judge_store);
        if (finder.load->taken_count)
            try_pattern(&finder, DARN_SECTION_TEST_USE, judge_use);
    }
    free(finder.loads);
    darn_map_free(&finder.by_access);
    darn_map_free(&finder.decisions);
}
