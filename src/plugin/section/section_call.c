/*
 * Which variables a function touches first and last, told by its arguments and by globals: so that
 * the next access can be one of a function that is called.
 */
#include <stdlib.h>

#include "plugin/section/plugin_section.h"

/* Calls within calls that are followed. */
#define MAX_LEVEL 2

/* Functions with more blocks or accesses are not summarized, and calls with more joined accesses
 * are cut. */
#define MAX_BLOCKS   80
#define MAX_ACCESSES 200

static int is_visible(const struct darn_plugin_access *access)
{
    return !access->dropped || access->extra;
}

enum darn_walk_step darn_section_judge_next(struct darn_section_walk *walk,
                                            const struct darn_code_event *event, unsigned block)
{
    const struct darn_next *next = walk->context;
    struct darn_code *code = walk->code;

    (void)block;
    if (event->access) {
        size_t number = event->access - 1;
        const struct darn_plugin_access *access = &code->accesses.items[number];
        const struct darn_path_variable *variable = darn_code_variable(code, number);

        if (!variable || variable->hash != next->hash || !is_visible(access))
            return DARN_STEP_ON;
        if (!darn_code_is_point(access) ||
            (next->entry && darn_section_is_known(code, next->entry - 1, number, 0)))
            return DARN_STEP_STOP;
        return DARN_STEP_END;
    }
    for (uint32_t i = 0; i < event->joined_count; i++) {
        if (code->joined[event->first_joined + i].hash == next->hash)
            return code->joined[event->first_joined + i].is_last ? DARN_STEP_STOP : DARN_STEP_END;
    }
    return DARN_STEP_ON;
}

/* The path of an access of a called function, as the caller sees it. 0, or -1 when it has none. */
static int join(struct darn_code *code, LLVMValueRef call, const struct darn_outer *outer,
                struct darn_path *path)
{
    LLVMValueRef root = outer->path.root;
    struct darn_path argument;
    unsigned number = 0;

    *path = outer->path;
    if (!LLVMIsAArgument(root))
        return 0;
    while (LLVMGetParam(LLVMGetParamParent(root), number) != root)
        number++;
    if (number >= LLVMGetNumArgOperands(call))
        return -1;
    darn_path_find(&code->paths, LLVMGetArgOperand(call, number), &argument);
    return darn_path_join(path, &argument);
}

static void add_joined(struct darn_code *code, struct darn_code_event *event,
                       const struct darn_outer *outer, int is_last)
{
    struct darn_joined joined = {.outer = outer, .is_last = is_last};

    if (join(code, event->instruction, outer, &joined.path))
        return;
    joined.hash = darn_path_hash(&joined.path);
    if (code->joined_count % 32 == 0) {
        code->joined = realloc(code->joined, (code->joined_count + 32) * sizeof(*code->joined));
        if (!code->joined)
            abort();
    }
    code->joined[code->joined_count++] = joined;
    event->joined_count++;
}

static void join_calls(struct darn_section_finder *sections, struct darn_code *code)
{
    unsigned count = code->first_event[code->flow.count];

    for (unsigned i = 0; i < count; i++) {
        struct darn_code_event *event = &code->events[i];
        uintptr_t number =
            event->callee ? darn_map_get(&sections->by_function, (uintptr_t)event->callee, 0) : 0;
        struct darn_code *callee = number ? &sections->codes[number - 1] : NULL;

        if (!callee ||
            LLVMGetCalledFunctionType(event->instruction) != LLVMGlobalGetValueType(event->callee))
            continue;
        darn_section_summarize(sections, callee);
        event->first_joined = (uint32_t)code->joined_count;
        if (!callee->summary || callee->summary->state != DARN_SUMMARY_DONE)
            continue;
        for (unsigned j = 0; j < callee->summary->first_count; j++)
            add_joined(code, event, &callee->summary->first[j], 0);
        for (unsigned j = 0; j < callee->summary->last_count; j++)
            add_joined(code, event, &callee->summary->last[j], 1);
    }
}

/* Whether a caller can tell the variable, too. */
static int is_outer_path(const struct darn_path *path)
{
    if (!LLVMIsAArgument(path->root) && !LLVMIsAGlobalVariable(path->root))
        return 0;
    for (unsigned i = 0; i <= path->depth; i++) {
        if (path->steps[i].index)
            return 0;
    }
    return path->leaf_count == 0;
}

static void add_outer(struct darn_outer *list, unsigned *count, struct darn_outer outer)
{
    for (unsigned i = 0; i < *count; i++) {
        if (list[i].access == outer.access &&
            darn_path_hash(&list[i].path) == darn_path_hash(&outer.path))
            return;
    }
    if (*count < DARN_OUTER_MAX && outer.level <= MAX_LEVEL)
        list[(*count)++] = outer;
}

/* Adds what a walk from the start of the function comes to first. */
static void add_firsts(struct darn_code *code, const struct darn_path *path, uint64_t hash)
{
    struct darn_next next = {code, hash, 0};
    struct darn_section_walk walk = {
        .code = code, .judge = darn_section_judge_next, .context = &next, .path = path};

    if (!is_outer_path(path) || !darn_walk(&walk, 0, -1))
        return;
    for (unsigned i = 0; i < walk.end_count; i++) {
        const struct darn_code_event *end = walk.ends[i];
        struct darn_outer outer = {.path = *path};

        if (end->access) {
            outer.access = &code->accesses.items[end->access - 1];
            if (darn_access_is_plain(outer.access))
                add_outer(code->summary->first, &code->summary->first_count, outer);
            continue;
        }
        for (uint32_t j = 0; j < end->joined_count; j++) {
            const struct darn_joined *joined = &code->joined[end->first_joined + j];

            outer.access = joined->outer->access;
            outer.level = joined->outer->level + 1;
            if (!joined->is_last && joined->hash == hash)
                add_outer(code->summary->first, &code->summary->first_count, outer);
        }
    }
}

/* Adds the access of this event if the function can end behind it. */
static void add_last(struct darn_code *code, unsigned block, unsigned event, uint64_t hash,
                     struct darn_outer outer)
{
    struct darn_next next = {code, hash, 0};
    struct darn_section_walk walk = {
        .code = code, .judge = darn_section_judge_next, .context = &next, .path = &outer.path};

    if (!is_outer_path(&outer.path))
        return;
    darn_walk(&walk, block, (int)event);
    if (walk.returns)
        add_outer(code->summary->last, &code->summary->last_count, outer);
}

static void add_lasts(struct darn_code *code, unsigned block, unsigned number)
{
    const struct darn_code_event *event = &code->events[number];
    const struct darn_path_variable *variable =
        event->access ? darn_code_variable(code, event->access - 1) : NULL;
    const struct darn_plugin_access *access =
        variable ? &code->accesses.items[event->access - 1] : NULL;

    if (access && !access->dropped && darn_code_is_point(access) && darn_access_is_plain(access))
        add_last(code, block, number, variable->hash,
                 (struct darn_outer){variable->path, access, 0});
    for (uint32_t i = 0; i < event->joined_count; i++) {
        const struct darn_joined *joined = &code->joined[event->first_joined + i];

        if (joined->is_last)
            add_last(
                code, block, number, joined->hash,
                (struct darn_outer){joined->path, joined->outer->access, joined->outer->level + 1});
    }
}

void darn_section_summarize(struct darn_section_finder *sections, struct darn_code *code)
{
    if (code->summary || !code->has_flow)
        return;
    code->summary = calloc(1, sizeof(*code->summary));
    if (!code->summary)
        abort();
    code->summary->state = DARN_SUMMARY_BUSY; /* whoever calls himself learns nothing */
    join_calls(sections, code);
    if (code->flow.count <= MAX_BLOCKS && code->accesses.count <= MAX_ACCESSES) {
        for (size_t i = 0; i < code->variable_count; i++) {
            if (code->variables[i].worth)
                add_firsts(code, &code->variables[i].path, code->variables[i].hash);
        }
        for (size_t i = 0; i < code->joined_count; i++) {
            if (!code->joined[i].is_last)
                add_firsts(code, &code->joined[i].path, code->joined[i].hash);
        }
        for (unsigned i = 0; i < code->flow.count; i++) {
            for (unsigned j = code->first_event[i]; j < code->first_event[i + 1]; j++)
                add_lasts(code, i, j);
        }
    }
    code->summary->state = DARN_SUMMARY_DONE;
}
