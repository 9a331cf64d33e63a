/*
 * What the runs of a program say about its sections (AtomRace 4.3). Pure: sections_refine.c makes
 * the runs.
 *
 * A section, or one end of it, that is violated in a correct run was not meant to be atomic, and
 * everything is allowed there from then on. What was violated in failing runs only is kept: it is
 * the likely cause.
 */
#ifndef DARN_DRIVER_REFINEMENT_H
#define DARN_DRIVER_REFINEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "driver/section/section_file.h"

/*
 * What the runtime has counted in one run: a text, `end LINE INDEX SEEN VIOLATED` in a line for
 * each end that was reached, by the line of its section in the file that the run was given, and by
 * its number among the ends of the section. The last line is `done`. Other lines, and what follows
 * on a line, are passed over.
 */
struct darn_refinement_count {
    uint32_t line, index;
    uint64_t seen, violated;
};

struct darn_refinement_counts {
    struct darn_refinement_count *list;
    size_t count, room;
    bool done; /* the text is complete */
};

/* A zeroed struct has none. What was there before is forgotten. */
void darn_refinement_counts_read(struct darn_refinement_counts *counts, const char *text);
void darn_refinement_counts_free(struct darn_refinement_counts *counts);

struct darn_refinement {
    struct darn_sections *sections;
    uint64_t *hand; /* for each section over lines: how often it was violated in failing runs */
};

enum darn_refinement_news {
    DARN_REFINEMENT_ALLOWED, /* one end of a section: everything is allowed there now */
    DARN_REFINEMENT_DROPPED, /* the section is gone: `why` */
    DARN_REFINEMENT_SUSPECT, /* violated in a failing run, for the first time */
};

/* `end` is NULL where the section as a whole is meant. */
typedef void darn_refinement_tell(void *to, enum darn_refinement_news news,
                                  const struct darn_section *section, const struct darn_point *end);

/* The positions of the sections become those of the file for the runs. Never without memory: the
 * process ends then. */
void darn_refinement_open(struct darn_refinement *refinement, struct darn_sections *sections);
void darn_refinement_close(struct darn_refinement *refinement);

/* The file for the runs: what is left, each section in the line of its position, whatever has gone
 * by then. 0 or a negative errno. */
int darn_refinement_write(const struct darn_refinement *refinement, FILE *to);

/* One run, which was correct or not. Returns how many ends and sections have changed: 0 for a run
 * that was not. `tell` may be NULL. */
uint32_t darn_refinement_apply(struct darn_refinement *refinement,
                               const struct darn_refinement_counts *counts, bool correct,
                               uint64_t number, darn_refinement_tell *tell, void *to);

/* In the end: what was never seen in all these runs goes. Sections by hand stay: somebody means
 * them. Returns how many sections have gone. */
uint32_t darn_refinement_finish(struct darn_refinement *refinement, uint64_t runs);

/* How often it was violated in failing runs, if it is still there. */
uint64_t darn_refinement_suspicion(const struct darn_refinement *refinement, size_t section);

#endif
