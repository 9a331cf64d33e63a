#include "plugin/section/code.h"

#include <stdlib.h>

#include "site/site_section.h"

/* Functions with more are passed over. */
#define MAX_BLOCKS   20000
#define MAX_ACCESSES 50000

/* Steps that the searches in one function may take, for each of its blocks and accesses. */
#define BUDGET_EACH 300
#define BUDGET_MIN  20000

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);

    if (!memory)
        abort();
    return memory;
}

unsigned darn_code_block(const struct darn_code *code, LLVMBasicBlockRef block)
{
    return (unsigned)darn_map_get(&code->flow.number, (uintptr_t)block, 0) - 1;
}

int darn_code_is_point(const struct darn_plugin_access *access)
{
    return access->pointer && access->kind <= DARN_SITE_UPDATE &&
           !LLVMIsAAtomicCmpXchgInst(access->instruction) &&
           !(access->flags & (DARN_SITE_RANGE | DARN_SITE_SPIN | DARN_SITE_ASSERT_ACCESS |
                              DARN_SITE_ASSERT_WRITER)) &&
           LLVMGetDebugLocLine(access->instruction) != 0;
}

static void find_successors(struct darn_code *code)
{
    const struct darn_flow *flow = &code->flow;
    unsigned total = 0;

    code->first_after = allocate(flow->count + 1, sizeof(unsigned));
    for (unsigned i = 0; i < flow->count; i++)
        total += LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(flow->blocks[i]));
    code->after = allocate(total, sizeof(unsigned));
    total = 0;
    for (unsigned i = 0; i < flow->count; i++) {
        LLVMValueRef terminator = LLVMGetBasicBlockTerminator(flow->blocks[i]);

        code->first_after[i] = total;
        for (unsigned j = 0; j < LLVMGetNumSuccessors(terminator); j++)
            code->after[total++] = darn_code_block(code, LLVMGetSuccessor(terminator, j));
    }
    code->first_after[flow->count] = total;
}

/* Finds the variable of each access; `leaves` gets the leaves of all paths. */
static void find_places(struct darn_code *code, struct darn_call_facts *calls,
                        struct darn_map *leaves)
{
    struct darn_map known = {0}; /* hash -> number + 1 */
    size_t count = code->accesses.count;

    code->variable_of = allocate(count, sizeof(*code->variable_of));
    code->variables = allocate(count, sizeof(*code->variables));
    for (size_t i = 0; i < count; i++) {
        const struct darn_plugin_access *access = &code->accesses.items[i];
        struct darn_path_variable variable = {0};
        uintptr_t number;

        if (!darn_map_get(&code->numbers, (uintptr_t)access->instruction, 0))
            darn_map_put(&code->numbers, (uintptr_t)access->instruction, i + 1);
        if (!access->pointer || access->kind > DARN_SITE_UPDATE)
            continue;
        darn_path_find(&code->paths, access->pointer, &variable.path);
        if (!variable.path.root)
            continue;
        variable.hash = darn_path_hash(&variable.path);
        number = darn_map_get(&known, variable.hash, 0);
        if (!number) {
            variable.worth = variable.path.depth > 0 ||
                             !LLVMIsAGlobalVariable(variable.path.root) ||
                             !darn_calls_is_constant(calls, variable.path.root);
            code->variables[code->variable_count++] = variable;
            number = code->variable_count;
            darn_map_put(&known, variable.hash, number);
            for (unsigned j = 0; j < variable.path.leaf_count; j++)
                darn_map_put(leaves, (uintptr_t)variable.path.leaves[j], 1);
        }
        code->variable_of[i] = (uint32_t)number;
    }
    darn_map_free(&known);
}

/* Appends an event; the first of two accesses of one instruction stands for both. */
static void add_event(struct darn_code *code, size_t *count, size_t *capacity,
                      struct darn_code_event event)
{
    if (*count == *capacity) {
        *capacity = *capacity ? 2 * *capacity : 64;
        code->events = realloc(code->events, *capacity * sizeof(*code->events));
        if (!code->events)
            abort();
    }
    code->events[(*count)++] = event;
}

static LLVMValueRef known_callee(LLVMValueRef instruction)
{
    LLVMValueRef callee = LLVMIsACallInst(instruction) || LLVMIsAInvokeInst(instruction)
                              ? LLVMGetCalledValue(instruction)
                              : NULL;

    return callee && LLVMIsAFunction(callee) && !LLVMIsDeclaration(callee) ? callee : NULL;
}

static struct darn_code_event event_of(const struct darn_code *code, struct darn_call_facts *calls,
                                       const struct darn_map *leaves, LLVMValueRef instruction)
{
    struct darn_code_event event = {.instruction = instruction};

    if (darn_map_get(leaves, (uintptr_t)instruction, 0))
        event.gone = instruction;
    else if (LLVMIsAStoreInst(instruction) &&
             darn_map_get(leaves, (uintptr_t)LLVMGetOperand(instruction, 1), 0))
        event.gone = LLVMGetOperand(instruction, 1);
    event.access = (uint32_t)darn_map_get(&code->numbers, (uintptr_t)instruction, 0);
    event.callee = known_callee(instruction);
    event.inside = darn_calls_inside(calls, instruction);
    return event;
}

static void find_events(struct darn_code *code, struct darn_call_facts *calls,
                        const struct darn_map *leaves)
{
    size_t count = 0, capacity = 0;

    code->first_event = allocate(code->flow.count + 1, sizeof(*code->first_event));
    for (unsigned i = 0; i < code->flow.count; i++) {
        LLVMValueRef in = LLVMGetFirstInstruction(code->flow.blocks[i]);

        code->first_event[i] = (unsigned)count;
        for (; in; in = LLVMGetNextInstruction(in)) {
            struct darn_code_event event = event_of(code, calls, leaves, in);

            if (event.gone || event.callee || event.access || event.inside)
                add_event(code, &count, &capacity, event);
        }
    }
    code->first_event[code->flow.count] = (unsigned)count;
}

void darn_code_init(struct darn_code *code, LLVMTargetDataRef layout, struct darn_call_facts *calls)
{
    struct darn_map leaves = {0};

    if (code->accesses.count > MAX_ACCESSES || LLVMCountBasicBlocks(code->function) > MAX_BLOCKS ||
        darn_flow_init_always(&code->flow, code->function))
        return;
    code->has_flow = 1;
    code->budget = BUDGET_MIN + BUDGET_EACH * (code->flow.count + (unsigned)code->accesses.count);
    darn_paths_init(&code->paths, layout);
    find_successors(code);
    find_places(code, calls, &leaves);
    find_events(code, calls, &leaves);
    darn_map_free(&leaves);
}

void darn_code_free(struct darn_code *code)
{
    darn_accesses_free(&code->accesses);
    if (code->has_flow) {
        darn_flow_free(&code->flow);
        darn_paths_free(&code->paths);
    }
    free(code->after);
    free(code->first_after);
    free(code->variable_of);
    free(code->variables);
    free(code->events);
    free(code->first_event);
    free(code->marks);
    free(code->summary);
    free(code->joined);
    darn_map_free(&code->numbers);
    darn_map_free(&code->mark_keys);
    darn_map_free(&code->pairs);
    *code = (struct darn_code){0};
}

const struct darn_path_variable *darn_code_variable(const struct darn_code *code, size_t access)
{
    uint32_t number = code->variable_of[access];

    return number && code->variables[number - 1].worth ? &code->variables[number - 1] : NULL;
}
