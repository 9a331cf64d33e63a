/*
 * What repositories want of the modules that are loaded (section/match.h), for all who go by one:
 * watching and healing.
 */
#ifndef DARN_RUNTIME_SECTION_MODULE_H
#define DARN_RUNTIME_SECTION_MODULE_H

#include <stdbool.h>
#include <stdint.h>

#include "section/match.h"
#include "site/site.h"

/* A module that has announced its sections. */
struct darn_section_module {
    const struct darn_site *start, *stop;
    const void *first, *last; /* records */
    struct darn_section_module *next;
};

/* Makes it what the repository wants by the section, which lives only until the next one is read.
 * False: there is no memory. */
bool darn_wanted_keep(struct darn_match_wanted *wanted, const struct darn_section *section);

/* Puts all that is wanted into the list; NULL: only counts it. */
typedef uint32_t darn_wanted_list(struct darn_match_wanted **list);

/* Ready for darn_match_module, but for whom to tell. False: there is no memory. */
bool darn_wanted_open(struct darn_match *match, const struct darn_section_module *module,
                      darn_wanted_list *list);
void darn_wanted_close(struct darn_match *match);

/* For what no section of the program is: whether it is there by its accesses. *section is what the
 * module has then; a race that has moved is at *moved. */
bool darn_wanted_by_sites(struct darn_match_wanted *wanted,
                          const struct darn_section_module *module,
                          struct darn_match_section *section, struct darn_section_point *moved);

#endif
