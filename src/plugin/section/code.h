/*
 * A function as the search for sections sees it: its accesses with the variables that they touch,
 * and in each block what matters on the way from one access to the next.
 */
#ifndef DARN_PLUGIN_CODE_H
#define DARN_PLUGIN_CODE_H

#include <llvm-c/Core.h>

#include "base/map.h"
#include "plugin/core/access.h"
#include "plugin/core/flow.h"
#include "plugin/core/path.h"
#include "plugin/section/section_calls.h"

/* A variable that is accessed, as far as a path says which. */
struct darn_path_variable {
    struct darn_path path;
    uint64_t hash;
    int worth; /* somebody may change it: it can have sections */
};

struct darn_code_event {
    LLVMValueRef instruction;
    LLVMValueRef gone;   /* this leaf of a path gets another value here, or NULL */
    LLVMValueRef callee; /* a function of this module that is called here, or NULL */
    uint32_t access;     /* number + 1, or 0 */
    uint16_t inside;     /* enum darn_section_inside: what a section that passes here contains */
    uint32_t first_joined, joined_count; /* of a call: see struct darn_joined */
};

/* An access of a function that is called here, with its path as the caller sees it. */
struct darn_joined {
    const struct darn_outer *outer;
    struct darn_path path;
    uint64_t hash;
    int is_last; /* else it is a first one */
};

/* A hook that only sections need: at the start of a block, behind a call, in front of a call. */
struct darn_mark {
    LLVMBasicBlockRef block; /* at its start; or NULL */
    LLVMValueRef call;
    int before;            /* the call, else behind it */
    LLVMValueRef position; /* the instruction whose place in the source is the mark's */
    uint16_t shift;        /* see struct darn_plugin_access */
    uint64_t key;
    uint32_t line;
};

/* An access that is the first, or the last, of its variable in a function that is called. */
struct darn_outer {
    struct darn_path path;
    const struct darn_plugin_access *access;
    unsigned level; /* calls between */
};

#define DARN_OUTER_MAX 24

struct darn_call_summary {
    enum { DARN_SUMMARY_NONE, DARN_SUMMARY_BUSY, DARN_SUMMARY_DONE } state;
    struct darn_outer first[DARN_OUTER_MAX], last[DARN_OUTER_MAX];
    unsigned first_count, last_count;
};

struct darn_code {
    LLVMValueRef function;
    struct darn_accesses accesses;
    int has_flow; /* the rest is there: the function has accesses, and is not too large */
    struct darn_flow flow;
    unsigned *after, *first_after; /* successors, as flow's predecessors */
    struct darn_paths paths;
    uint32_t *variable_of;   /* of each access: number of its variable + 1, or 0 */
    struct darn_map numbers; /* instruction -> number of its first access + 1 */
    struct darn_path_variable *variables;
    size_t variable_count;
    struct darn_code_event *events; /* those of block i at first_event[i] and following */
    unsigned *first_event;
    struct darn_mark *marks;
    size_t mark_count;
    struct darn_map mark_keys;         /* keys in use */
    struct darn_map pairs;             /* entry and end that belong together already */
    struct darn_call_summary *summary; /* NULL: not yet asked for */
    struct darn_joined *joined;
    size_t joined_count;
    unsigned budget; /* steps that are left for all searches */
};

/* Finds variables and events. The function is set, and its accesses are collected and selected. */
void darn_code_init(struct darn_code *code, LLVMTargetDataRef layout,
                    struct darn_call_facts *calls);
void darn_code_free(struct darn_code *code);

/* The variable of an access, or NULL if it is not known or nobody else writes it. */
const struct darn_path_variable *darn_code_variable(const struct darn_code *code, size_t access);

unsigned darn_code_block(const struct darn_code *code, LLVMBasicBlockRef block);

/* Whether an access can be an entry or an end. */
int darn_code_is_point(const struct darn_plugin_access *access);

#endif
