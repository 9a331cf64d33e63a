/*
 * The repository of sections as the tools have it in memory: read, checked and written.
 */
#ifndef DARN_DRIVER_SECTION_FILE_H
#define DARN_DRIVER_SECTION_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/words.h"
#include "driver/process/listener.h"
#include "report/text_pool.h"
#include "section/section.h"

/*
 * A list of sections. The pool owns them and their strings. A section has only as many points as
 * its `count` says, to save memory: it must not be copied by assignment (darn_sections_add copies).
 */
struct darn_sections {
    struct darn_text_pool pool;
    struct darn_section **list;
    size_t count;
    size_t room;
    /* Other keys of the file, written as they are behind the lists; NULL: none (section_other_keys.h). */
    const char *rest;
    /* "refinement" of the file: how far `darn sections refine` has come; not written while `runs`
     * is 0. */
    struct {
        uint64_t runs;  /* that were made */
        uint64_t quiet; /* of the correct ones, how many have come since the last change */
        uint64_t seed;
    } refinement;
};

/* A zeroed struct is an empty list. */
void darn_sections_free(struct darn_sections *sections);

/* Appends a copy, with strings of its own. Returns the copy, which stays where it is. Without
 * memory the process ends with a message. */
struct darn_section *darn_sections_add(struct darn_sections *sections,
                                       const struct darn_section *section);

/* Tells of a fault in a repository: `FILE:LINE:COL: error: …`. */
__attribute__((format(printf, 5, 6))) void darn_section_fault(struct darn_listener *listener,
                                                              const char *path, uint32_t line,
                                                              uint32_t column, const char *format,
                                                              ...);

/* The files of a list with commas. One that is there under the whole name is one file. */
void darn_section_files(const char *list, struct darn_words *files);

/*
 * Appends what is in the file, those of "dropped" too (their `why` is not NULL). Errors, also
 * overlaps that are not allowed (section_check.h), are told with their position, and counted in
 * *errors; the rest is used. "-" is the standard input. 0, or DARN_REFUSED when the file cannot
 * be read at all.
 */
int darn_section_file_load(struct darn_listener *listener, const char *path,
                           struct darn_sections *sections, uint32_t *errors);

/* Writes the list, what has a `why` under "dropped". The file is replaced at once or not at all.
 * 0 or a negative errno. */
int darn_section_file_write(const char *path, const struct darn_sections *sections);
int darn_section_file_print(FILE *file, const struct darn_sections *sections);

#endif
