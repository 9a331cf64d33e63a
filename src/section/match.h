/*
 * Which sections of a program those of a repository mean. There is one answer, for the compiler
 * (`darn cc --only`), for the runtime, which heals them, and for the commands that speak of it.
 *
 * A section of the program is meant by one of the repository
 *
 * - for certain, if its entry and all the ends that the repository names are where it says: in the
 *   same function, and called from the same lines of it where the accesses were inlined. It may
 *   have more ends, and may be called by another kind. The names of the variables have to agree as
 *   far as they are names: where the compiler has only `*to`, that may be `total`;
 * - by its shape, when the program has none at that place, for lines have moved: the same kind,
 *   operations, function and variable, in a file of the same name. The program must have as many of
 *   these as the repository looks for. Then none of them is another one, and they are taken in the
 *   order of their lines;
 * - if it lies in the lines of a section over lines (`bank.c:120-131 balance`): its entry, and at
 *   least one of its ends;
 * - by its accesses alone, if it was learned, written by hand, or is a race: no record is needed
 *   then. A race that has moved is the only access of its operation to the variable in its
 * function.
 *
 * Structs have to agree where both are known (alias.h).
 *
 * A module that is compiled is only a part of the program. So the compiler does not decide; it
 * leaves out what can make no difference (darn_match_concerns).
 *
 * Pure, and in the program under test as well.
 */
#ifndef DARN_SECTION_MATCH_H
#define DARN_SECTION_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "section/section.h"

/* A section of either side, as far as they are compared. */
struct darn_match_section {
    const char *file; /* of the function */
    const char *function;
    const char *variable;
    const char *type; /* as in struct darn_section */
    /* The line of a point is that in the section's function; 0: nobody has said it. */
    const struct darn_section_point *points;
    uint32_t count;
    const struct darn_section_point *entry; /* one of them, or NULL */
    uint32_t first, last;                   /* of a section over lines; else 0 */
    uint8_t allow;                          /* of one over lines, */
    bool has_allow;                         /* if it was given */
    uint8_t kind;                           /* enum darn_section_kind */
    uint8_t ends;                           /* what its ends do: bits, by enum darn_site_kind */
    uint16_t inside;                        /* enum darn_section_inside; not compared */
    uint32_t hash;                          /* of function and variable */
};

/* When names, kind, points and count are there: fills in what follows from them. */
void darn_match_prepare(struct darn_match_section *section);

struct darn_match_section darn_match_of_record(const struct darn_section_record *record);

/* `points` has room for the section's points, and lives as long as the result. */
struct darn_match_section darn_match_of_section(const struct darn_section *section,
                                                struct darn_section_point *points);

/* One of the repository: who wrote it may have left out the line of a call (`at`). */
struct darn_match_section darn_match_of_wanted(const struct darn_section *section,
                                               struct darn_section_point *points);

/* ---- two of them ---- */

/* Whether the program's section is where the repository says. */
bool darn_match_is_at_place(const struct darn_match_section *wanted,
                            const struct darn_match_section *found);

bool darn_match_is_in_lines(const struct darn_match_section *wanted,
                            const struct darn_match_section *found);

/* Whether it may be over the same variable, and reads and writes it back: that would lose what a
 * section has written meanwhile, and the section what is written there. */
bool darn_match_goes_along(const struct darn_match_section *wanted,
                           const struct darn_match_section *found);

/* Whether the program's section matters for what is healed by this one of the repository. Without
 * all others the answers are the same. */
bool darn_match_concerns(const struct darn_match_section *wanted,
                         const struct darn_match_section *found);

/* ---- all of them ---- */

enum darn_match_how {
    DARN_MATCH_NONE,  /* the program has no such section; `why` may say more */
    DARN_MATCH_PART,  /* some of its ends are missing: it is not healed */
    DARN_MATCH_MOVED, /* found by its shape */
    DARN_MATCH_EXACT,
};

/* One of the repository, and what became of it. */
struct darn_match_wanted {
    struct darn_match_section section;
    uint8_t how;     /* enum darn_match_how, of the modules so far */
    const char *why; /* it means nothing; or NULL */
};

/* What an end of a section that is meant allows: as the repository says, also when it has moved;
 * else what the compiler has found out. Where an end is outside of the lines, the section ends, but
 * everything is allowed. */
uint8_t darn_match_allow(const struct darn_match_wanted *wanted,
                         const struct darn_match_section *found,
                         const struct darn_section_point *end);

#define DARN_MATCH_NO_END UINT32_MAX

/* Which of the repository's ends an end of the section that is meant is: its number among them, or
 * DARN_MATCH_NO_END. Of a section over lines: its number in the program's. */
uint32_t darn_match_end(const struct darn_match_wanted *wanted,
                        const struct darn_match_section *found,
                        const struct darn_section_point *end);

/* One of the program. */
struct darn_match_found {
    struct darn_match_section section;
    struct darn_match_wanted *moved; /* what means it by its shape */
    bool is_claimed;                 /* somebody means it, not by lines alone */
    uint32_t first, next; /* numbers from 1: the first of a bucket of entries, and the next in it */
};

struct darn_match {
    struct darn_match_wanted **wanted;
    struct darn_match_found *found; /* `section` is filled in */
    uint32_t wanted_count, found_count;
    /* Told of each pair. */
    void (*meant)(void *context, struct darn_match_wanted *wanted,
                  const struct darn_match_found *found);
    void *context;
};

/* Compares the repository with the sections of one module. */
void darn_match_module(struct darn_match *match);

/* The same for one that was added later, if it is there for certain: what others mean is claimed.
 */
void darn_match_add(struct darn_match *match, struct darn_match_wanted *wanted);

/* ---- accesses ---- */

struct darn_match_site {
    uint64_t key; /* darn_site_key */
    const char *file, *function, *variable;
    uint8_t kind; /* enum darn_site_kind */
};

/* The accesses of a module; each call gives the next one, false: there is no other. */
struct darn_match_sites {
    void (*rewind)(void *context);
    bool (*next)(void *context, struct darn_match_site *site);
    void *context;
};

/* For one that no section of the program is: enum darn_match_how, by the module's accesses. *key is
 * where a race has moved to. */
uint8_t darn_match_by_sites(const struct darn_match_section *wanted,
                            const struct darn_match_sites *sites, uint64_t *key);

/* Of a section, what says which copies of its points count. */
struct darn_match_home {
    const char *function;
    uint8_t kind;    /* enum darn_section_kind */
    uint16_t inside; /* enum darn_section_inside */
};

/*
 * Whether a site that has the key of a point is that point. `add` calls get() and put(), `look` and
 * `set` call one of them: inlined, the copy of get() in `look` is not the beginning of what ends in
 * the copy of put() in `set`. So a point in a function that was inlined is only the copy that the
 * section's function has, called in the right line. `at` is the line of the point there, `call` the
 * lower half of darn_site_inlined.
 */
bool darn_match_is_point(const struct darn_match_home *section, uint32_t at, const char *function,
                         uint32_t call);

#endif
