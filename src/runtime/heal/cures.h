/*
 * What is to be healed: the sections of a repository, and which of the program's they are.
 *
 * A cure is one entry of the repository. It becomes rules (rules.h), one for each section of a
 * module that it means (section/match.h). Only then are sites armed: what it means nowhere is not
 * healed, and is said at the end.
 */
#ifndef DARN_RUNTIME_CURES_H
#define DARN_RUNTIME_CURES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/section/rules.h"
#include "runtime/section/section_module.h"

struct darn_cure {
    struct darn_match_wanted wanted; /* what it means; its strings and points are kept */
    uint32_t line;                   /* in the repository */
    uint32_t entry_line, entry_column;
    uint16_t inside;    /* enum darn_section_inside */
    uint8_t with;       /* enum darn_heal_with */
    uint8_t until;          /* of an order: enum darn_deadlock_until, */
    struct darn_gate *gate; /* and where it is waited for (gates.h); */
    bool is_shared;         /* an access of it is one of something else, too; */
    _Atomic bool is_settled; /* it was kept, and the first access is over */
    bool has_companion; /* rules that are healed where its sections have been */
    /* What became of it. Times in nanoseconds. */
    _Atomic uint64_t entered, healed, waited, longest, cycles, expired;
    _Atomic uint64_t lost;    /* time of waits that came to nothing */
    _Atomic uint64_t bound;   /* how long somebody waits for one who is inside */
    _Atomic uint32_t in_vain; /* waits that nothing came of, against those that ended well */
    _Atomic bool given_up;
    bool learned;                 /* found by ourselves, in this run */
    bool is_kept;                 /* the repository still has it (heal_reload.h) */
    uint64_t identity;            /* a hash of what it says, wherever that stands in the file */
    struct darn_section *section; /* of one that was learned: to be written */
    struct darn_cure *next;
};

/* Reads the repository; "": there is none, and nothing is known yet. 0, or negative as
 * darn_obeyed_load. */
int darn_cures_load(const char *path);

/* All of them, in the order of the repository. */
struct darn_cure *darn_cures(void);

/* How a section with this inside is healed: enum darn_heal_with. */
uint8_t darn_cures_way(uint16_t inside);

/* The sections of a module become rules. Called while darn_rules_lock is held, before sites are
 * compared with rules. */
void darn_cures_resolve(const struct darn_section_module *module);

/* The same for one cure, in one module. */
void darn_cures_resolve_one(struct darn_cure *cure, const struct darn_section_module *module);

const struct darn_section_module *darn_cures_modules(void);

/* Adds one that was found in this run; NULL: there is no memory. */
struct darn_cure *darn_cures_add(const struct darn_section *section);

/* The one that says the same; NULL: none. */
struct darn_cure *darn_cures_find(const struct darn_section *section);

/* Whether one of them is this section for certain. */
bool darn_cures_have(const struct darn_section_record *record);

/* A section of the program that is healed has this name for the variable: who may touch it by that
 * name is armed. The text is kept. */
void darn_cures_add_name(const char *variable);

/* Arms the sites of a module: the points of the rules, and who else may touch the variables. */
void darn_cures_arm(const struct darn_site *start, const struct darn_site *stop);

#endif
