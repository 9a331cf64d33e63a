/*
 * darn sections: which code should be atomic. Each word after it is a command of its own.
 */
#ifndef DARN_CLI_SECTIONS_LINE_H
#define DARN_CLI_SECTIONS_LINE_H

#include <stdio.h>

#include "cli/line.h"
#include "cli/say.h"
#include "driver/section/section_elf.h"
#include "driver/section/section_file.h"

extern const struct darn_command darn_sections_infer;
extern const struct darn_command darn_sections_show;
extern const struct darn_command darn_sections_check;
extern const struct darn_command darn_sections_shared;

/* darn sections refine, and darn sections infer … -- PROGRAM: sections from runs. */
extern const struct darn_command darn_sections_refine;
extern const struct darn_command darn_sections_learn;

/* Rows that several of these have, besides those of line.h. */

#define DARN_ROW_REPOSITORY(at)                                                                    \
    {                                                                                              \
        .name = "o", .type = DARN_OPTION_STRING, .offset = at, .value = "FILE",                    \
        .help = "write the repository to FILE, not to the standard output"                         \
    }

#define DARN_OTHERWISE_STATUS " (default: a run is right if its status is 0)"

#define DARN_ROW_EXPECT(at)                                                                        \
    {                                                                                              \
        .name = "expect", .type = DARN_OPTION_STRING, .offset = at, .value = "FILE",               \
        .help = "a run is right if it prints on stdout what is in FILE"                            \
    }

#define DARN_ROW_LIMIT(at)                                                                         \
    {                                                                                              \
        .name = "timeout", .type = DARN_OPTION_SECONDS, .offset = at, .initial = "60",             \
        .value = "S", .help = "a run that takes longer than S seconds has failed"                  \
    }

/* Refuses an output that cannot be written; "-" and NULL are stdout. 0 or an exit status. */
int darn_sections_check_output(const char *command, const char *path);

/* Writes the repository; "-" is stdout. 0 or a negative errno. */
int darn_sections_write(const char *path, const struct darn_sections *sections);

/* "5 load-and-store, 4 pair": how many there are of each kind; those that were dropped, or the
 * others. Returns how many in all. */
size_t darn_sections_count(FILE *out, const struct darn_sections *sections, bool dropped);

/* `read,write`, of what is allowed. */
const char *darn_section_allow_text(uint8_t allow);

#endif
