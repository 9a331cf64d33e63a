/* What the files that make a repository of findings share. */
#ifndef DARN_DRIVER_HEAL_FROM_PRIVATE_H
#define DARN_DRIVER_HEAL_FROM_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/heal/healing.h"

/* One finding, and where that goes by which it is healed. */
struct darn_heal_making {
    struct darn_heal *heal;
    const struct darn_finding *finding;
    struct darn_heal_fix *fix;
    size_t made; /* sections, also those that were there already */
};

/* To the repository, unless it is there. */
void darn_heal_add_section(struct darn_heal_making *making, const struct darn_section *section);

/* With its entry; to be freed. */
struct darn_section *darn_heal_new_section(const struct darn_finding *finding,
                                           const struct darn_image_site *site, uint8_t kind);

/* Of a violation over two variables: what each of its two threads does to both is a section. False: it is no such
 * violation. */
bool darn_heal_together(struct darn_heal_making *making);

#endif
