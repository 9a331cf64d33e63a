/*
 * Walks forward from an access, or from a call, until it is judged that a section ends: the region
 * of a section, and the ways out of it.
 */
#ifndef DARN_PLUGIN_SECTION_WALK_H
#define DARN_PLUGIN_SECTION_WALK_H

#include "plugin/section/code.h"

/* Ends and ways out that one section may have: more than fit into a record. */
#define DARN_WALK_ENDS   32
#define DARN_WALK_LEAVES 48

/* Blocks that one walk looks at; what lies behind is outside. */
#define DARN_WALK_BLOCKS 80

enum darn_walk_step {
    DARN_STEP_ON,
    DARN_STEP_END,
    DARN_STEP_STOP,  /* the section cannot end behind this */
    DARN_STEP_AGAIN, /* it begins anew */
};

struct darn_section_walk;

/* Judges an event of a block. */
typedef enum darn_walk_step darn_walk_judge(struct darn_section_walk *walk,
                                            const struct darn_code_event *event, unsigned block);

struct darn_section_walk {
    struct darn_code *code;
    darn_walk_judge *judge;
    void *context;
    const struct darn_path *path; /* the variable: the walk stops where the path leads elsewhere */

    const struct darn_code_event *ends[DARN_WALK_ENDS]; /* each once */
    unsigned end_count;
    unsigned leaves[DARN_WALK_LEAVES]; /* blocks */
    unsigned leave_count;
    uint16_t inside;
    int returns;  /* the end of the function can be reached without coming to an end */
    int overflow; /* too many ends or ways out: it cannot be used */

    struct {
        unsigned block;
        enum darn_walk_step outcome;
        int can; /* an end can be reached from its start */
        uint16_t inside;
    } seen[DARN_WALK_BLOCKS];
    unsigned seen_count;
};

/*
 * Walks from behind event number `from` of the block; -1: from its start. Returns whether an end
 * was found. `code`, `judge`, `context` and `path` are set.
 */
int darn_walk(struct darn_section_walk *walk, unsigned block, int from);

#endif
