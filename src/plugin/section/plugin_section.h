/*
 * Sections: which pieces of a function its author probably meant to be atomic with respect to one
 * variable (AtomRace, section 4). They are found where the optimizer has left the function, just
 * before it is instrumented, and written down as site/site_section.h says.
 */
#ifndef DARN_PLUGIN_SECTION_H
#define DARN_PLUGIN_SECTION_H

#include <llvm-c/Core.h>

#include "base/map.h"
#include "plugin/name/names.h"
#include "plugin/core/plugin_sites.h"
#include "plugin/section/code.h"
#include "plugin/section/section_walk.h"
#include "site/site_section.h"

/* A section that was found, and is still to be written. */
struct darn_found_section {
    uint8_t kind;
    uint16_t inside;
    char *file, *function, *variable, *type;
    LLVMComdatRef comdat; /* of the function that it is in */
    struct darn_section_point points[DARN_SECTION_POINTS];
    uint32_t count;
    int dropped; /* it has too many points */
};

struct darn_section_finder {
    struct darn_names *names;
    struct darn_code *codes;
    size_t code_count;
    struct darn_map by_function; /* function -> number of its code + 1 */
    struct darn_found_section *items;
    size_t count, capacity;
    struct darn_map merged; /* hash of entry, kind and function -> number + 1 */
};

/* The point of a section: an access, or a call that leads to one. */
struct darn_section_end {
    const struct darn_plugin_access *access;
    LLVMValueRef call; /* in the function, or NULL */
};

/* section_add.c */

/* Adds the section from `entry` to the ends of the walk; `ends` has the accesses, and the walk the
 * ways out. Returns whether it could be recorded. */
int darn_section_add(struct darn_section_finder *sections, struct darn_code *code, uint8_t kind,
                     struct darn_section_end entry, const struct darn_section_end *ends,
                     unsigned end_count, const struct darn_section_walk *walk);

/* section_find.c: load-and-store, test-and-use. */
void darn_sections_find(struct darn_section_finder *sections, struct darn_code *code);

/* section_pair.c: pairs, when all of the module's functions have been looked at. */
void darn_sections_find_pairs(struct darn_section_finder *sections, struct darn_code *code);

/* Whether these two belong together already; with `note`, from now on. Numbers of accesses. */
int darn_section_is_known(struct darn_code *code, size_t entry, size_t end, int note);

/* section_call.c: what the functions access that are called. */

/* Finds the first and last accesses of the functions that are called in this one, and its own. */
void darn_section_summarize(struct darn_section_finder *sections, struct darn_code *code);

/* A walk that ends at the next access to a variable, also in functions that are called. */
struct darn_next {
    struct darn_code *code;
    uint64_t hash; /* of the path */
    size_t entry;  /* number + 1 of the access where it begins, or 0 */
};
enum darn_walk_step darn_section_judge_next(struct darn_section_walk *walk,
                                            const struct darn_code_event *event, unsigned block);

/* section_emit.c */
void darn_sections_emit(struct darn_section_finder *sections, struct darn_sites *sites);
void darn_section_finder_free(struct darn_section_finder *sections);

#endif
