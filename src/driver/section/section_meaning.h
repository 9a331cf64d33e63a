/*
 * What a repository means in a program: the answer of the one matcher (section/match.h), for the
 * sections that the plugin has written into the program. The runtime comes to the same one when it
 * watches or heals them.
 */
#ifndef DARN_DRIVER_SECTION_MEANING_H
#define DARN_DRIVER_SECTION_MEANING_H

#include <stdint.h>

#include "driver/section/section_elf.h"
#include "driver/section/section_file.h"

/* What became of one section of the repository. */
struct darn_section_answer {
    uint8_t how;     /* enum darn_match_how; those that were dropped are nothing */
    const char *why; /* it means nothing; or NULL: no more is known */
};

/* One section of the program that one of the repository means. */
struct darn_section_meant {
    const struct darn_section *wanted;   /* in the repository */
    const struct darn_section *recorded; /* by the compiler; NULL: it is found by its accesses */
    const struct darn_section *section;  /* where the program has it, and what its ends allow by the
                                            repository */
    uint8_t how;
};

struct darn_section_meaning {
    const struct darn_section_elf *elf;
    const struct darn_sections *repository;
    /* Told of each of them; may be NULL. */
    void (*meant)(void *context, const struct darn_section_meant *meant);
    void *context;
};

/* One answer for each section of the repository: an array, to be freed. */
struct darn_section_answer *darn_section_answers(const struct darn_section_meaning *meaning);

#endif
