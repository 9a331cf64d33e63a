/*
 * What is to be healed: the sections of a repository, and which of the program's they are.
 *
 * A cure is one entry of the repository. It becomes rules (rules.h), one for each section of a
 * module that it means: for certain, or by its shape when lines have moved (section/match.h). Only
 * then are sites armed: what it means nowhere is not healed, and is said at the end.
 */
#ifndef DARN_RUNTIME_CURES_H
#define DARN_RUNTIME_CURES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/section/rules.h"
#include "section/match.h"

enum darn_cure_match {
    DARN_CURE_NONE,  /* the program has no such section; `why` may say more */
    DARN_CURE_PART,  /* some of its ends are missing: it is not healed */
    DARN_CURE_MOVED, /* found by its shape */
    DARN_CURE_EXACT,
};

struct darn_cure {
    uint32_t line;        /* in the repository */
    uint32_t first, last; /* of a section over lines, else 0 */
    bool has_allow;
    uint8_t allow;
    uint16_t inside;         /* enum darn_section_inside */
    uint8_t match;           /* enum darn_cure_match */
    uint8_t with;            /* enum darn_heal_with */
    struct darn_shape shape; /* and its names */
    const char *why;         /* it does not match; or NULL */
    uint32_t entry_line, entry_column;
    uint32_t count; /* of points, without their rule */
    struct darn_rule_point *points;
    uint32_t mark;      /* which entry it stands for, while a module is compared */
    bool has_companion; /* rules that are healed where its sections have been */
    /* What became of it. Times in nanoseconds. */
    _Atomic uint64_t entered, healed, waited, longest, cycles, expired;
    _Atomic uint64_t lost;    /* time of waits that came to nothing */
    _Atomic uint64_t bound;   /* how long somebody waits for one who is inside */
    _Atomic uint32_t in_vain; /* waits that nothing came of, against those that ended well */
    _Atomic bool given_up;
    bool learned;                 /* found by ourselves, in this run */
    struct darn_section *section; /* of one that was learned: to be written */
    struct darn_cure *next;
};

/* A module that has announced its sections. */
struct darn_cure_module {
    const struct darn_site *start, *stop;
    const void *first, *last; /* records */
    struct darn_cure_module *next;
};

/* Reads the repository; "": there is none, and nothing is known yet. 0, or negative as
 * darn_rules_load. */
int darn_cures_load(const char *path);

/* All of them, in the order of the repository. */
struct darn_cure *darn_cures(void);

/* How a section with this inside is healed: enum darn_heal_with. */
uint8_t darn_cures_way(uint16_t inside);

/* The sections of a module become rules. Called while darn_rules_lock is held, before sites are
 * compared with rules. */
void darn_cures_resolve(const struct darn_site *start, const struct darn_site *stop,
                        const void *first_record, const void *last_record);

/* The same for one cure, in one module. */
void darn_cures_resolve_one(struct darn_cure *cure, const struct darn_cure_module *module);

const struct darn_cure_module *darn_cures_modules(void);

/* Adds one that was found in this run; NULL: there is no memory. */
struct darn_cure *darn_cures_add(const struct darn_section *section);

/* Whether one of them is this section for certain. */
bool darn_cures_have(const struct darn_section_record *record);

/* A rule of the cure with room for so many points; NULL: there is no memory. */
struct darn_rule *darn_cures_rule(struct darn_cure *cure, uint32_t points);

/* When all its points are added: what it does, and allows. */
void darn_cures_sum_up(struct darn_rule *rule);

/* The rule of a cure that needs no record, if the module has its sites. */
void darn_cures_add_by_sites(struct darn_cure *cure, const struct darn_site *start,
                             const struct darn_site *stop);

/* Arms the sites of a module: the points of the rules, and who else may touch the variables. */
void darn_cures_arm(const struct darn_site *start, const struct darn_site *stop);

#endif
