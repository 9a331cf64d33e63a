/* Where in the program the accesses of findings are. */
#ifndef DARN_DRIVER_HEAL_SITE_H
#define DARN_DRIVER_HEAL_SITE_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/heal/healing.h"

bool darn_heal_is_access(const struct darn_finding_access *access);

/* Whether the entry or the end of a section is this access. */
bool darn_heal_is_point_of(const struct darn_point *point,
                           const struct darn_finding_access *access);

struct darn_point darn_heal_point_of(const struct darn_image_site *site, uint8_t role);

/* NULL when the program has no such access. */
const struct darn_image_site *darn_heal_site_of(const struct darn_heal *heal,
                                                const struct darn_finding *finding,
                                                const struct darn_finding_access *access);

#endif
