/*
 * What the plugin has written into a program: its sections, and its sites.
 */
#ifndef DARN_DRIVER_SECTION_ELF_H
#define DARN_DRIVER_SECTION_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/process/listener.h"
#include "driver/section/section_file.h"
#include "report/story/snapshot_image.h"
#include "report/symbol/module.h"

/* One site of the program, by its key. Several records of one place are one. */
struct darn_elf_site {
    uint64_t key;
    struct darn_image_site site; /* its texts live as long as the darn_section_elf */
};

struct darn_section_elf {
    struct darn_modules modules;
    struct darn_elf_site *sites; /* sorted by key */
    size_t site_count, site_room;
    struct darn_sections sections; /* merged, sorted by file and line */
    uint32_t unknown;              /* records of another version, or damaged, */
    uint32_t lost;                 /* records of which the entry or all ends are not there, */
    uint32_t large;                /* places with more points than a section may have */
};

/* Reads the program, and, with `libs`, the shared objects that it needs and that darn compiled.
 * 0, or DARN_REFUSED. */
int darn_section_elf_read(struct darn_section_elf *elf, struct darn_listener *listener,
                          const char *path, bool libs);
void darn_section_elf_free(struct darn_section_elf *elf);

/* NULL when the program has no such site. */
const struct darn_image_site *darn_section_elf_site(const struct darn_section_elf *elf,
                                                    uint64_t key);

#endif
