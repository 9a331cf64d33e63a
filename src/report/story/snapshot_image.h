/*
 * What an ELF file has in memory, read from the file: site records and their texts need no
 * relocation, so they are the same there.
 */
#ifndef DARN_REPORT_SNAPSHOT_IMAGE_H
#define DARN_REPORT_SNAPSHOT_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/symbol/module.h"
#include "site/site.h"

/* A site record of a file. The texts live until the modules are closed. */
struct darn_image_site {
    struct darn_site record;                      /* a copy: its own texts are not where it says */
    const char *file, *dir, *function, *variable; /* never NULL */
    uint64_t inlined;                             /* darn_site_inlined */
};

/* The bytes at an address of the ELF file, and how many follow there. NULL when the file has none.
 */
const char *darn_image_at(struct darn_modules *modules, const char *path, uint64_t address,
                          size_t *left);

/* False when there is no record of a site. */
bool darn_image_site(struct darn_modules *modules, const char *path, uint64_t address,
                     struct darn_image_site *site);

#endif
