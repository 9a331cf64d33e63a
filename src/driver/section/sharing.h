/*
 * Which sections of a repository are of variables that threads really share, in a way that the
 * section does not allow, as recorded runs show it. What a section means in the recorded program is
 * the answer of the one matcher (section_meaning.h).
 */
#ifndef DARN_DRIVER_SHARING_H
#define DARN_DRIVER_SHARING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "driver/process/listener.h"
#include "driver/section/section_file.h"

/* Begins with the first three. */
struct darn_sharing {
    struct darn_listener *listener;
    struct darn_sections *sections;
    const char *path;        /* of the repository */
    struct darn_map numbers; /* of the sections, by their addresses */
    size_t count;            /* of the sections, without those that were dropped before */
    bool *kept;              /* by section */
};

void darn_sharing_begin(struct darn_sharing *sharing);
void darn_sharing_end(struct darn_sharing *sharing);

/* One trace: what is shared in any of them is. 0 or DARN_REFUSED. */
int darn_sharing_read(struct darn_sharing *sharing, const char *path);

/* Takes the others out of the list; what was dropped before stays. Returns how many are left,
 * without those. */
size_t darn_sharing_choose(struct darn_sharing *sharing);

#endif
