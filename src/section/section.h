/*
 * A section as the repository has it, and the repository: the file of the sections that a program
 * should obey (AtomRace's external repository).
 *
 * The file is JSON, made to be read, edited and kept in version control:
 *
 *     {"darn-sections": 1,
 *      "sections": [
 *       {"variable": "acct->balance", "type": "account", "function": "deposit", "file": "bank.c",
 *        "kind": "load-and-store", "entry": "12:5 read", "ends": ["14:13 write allow=read"],
 *        "leaves": ["16:3"], "inside": ["calls"]},
 *       "bank.c:120-131 balance allow=read"
 *      ],
 *      "dropped": [
 *       {…, "why": "violated in a correct run"}
 *      ]}
 *
 * A point is `[FILE:]LINE:COLUMN [OP] [in FUNCTION] [at LINE] [allow=SET]`; file and function only
 * where they are not those of the section, `at` where the line in the section's function is another
 * one (the access was inlined, or is in a function that is called). OP is read, write or update;
 * none for a way out. SET is none, read, write or read,write. A string in the list is a section by
 * hand, over lines: the accesses to the variable there belong together; as an object it is
 * {"lines": "bank.c:120-131 balance", "why": …}. A section of kind `race` is one access that races,
 * its entry; it has no ends. One of kind `order` has "until", too, and says that its entry is to
 * come before its ends, whatever threads make them. One of kind `together` is over several
 * variables, `"variable": "entries, empty"`: the entry is of one of them, an end of another one. All
 * that are over the same list exclude each other, where one of them writes. Calls that lead to an entry or an end are points
 * of the list "calls". Ends may say `seen=N violated=N`, too. Without "kind" a section is by hand;
 * without `allow` an end allows what darn_section_allows says. What this version does not know is
 * kept out of the way: unknown keys are passed over.
 *
 * Lives in the program under test as well (healing needs nothing but the file): no allocation, no
 * stdio, no locale.
 */
#ifndef DARN_SECTION_SECTION_H
#define DARN_SECTION_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "site/site_section.h"

#define DARN_REPOSITORY_VERSION 1

struct darn_point {
    const char *file;     /* never NULL */
    const char *function; /* never NULL */
    uint32_t line;
    uint32_t column;
    uint32_t at;  /* the line in the section's function; equal to line if nothing else is said */
    uint8_t role; /* enum darn_section_role */
    uint8_t kind; /* enum darn_site_kind; DARN_SITE_LEAVE and DARN_SITE_CALL follow from the role */
    uint8_t allow;           /* of an end */
    uint64_t seen, violated; /* of an end: what refinement has counted so far */
};

/* Of an order: what whoever is to be the second one waits for. */
enum darn_deadlock_until {
    DARN_UNTIL_NOTHING, /* it is no order */
    DARN_UNTIL_DONE,    /* the first has been there */
    DARN_UNTIL_GONE,    /* all who have been there have ended */
    DARN_UNTIL_THROUGH, /* who has been there has been at the second place, too; of locks only */
};

/* "done", "gone" or "through"; NULL of what is no order. And back: NOTHING for any other text. */
const char *darn_until_name(enum darn_deadlock_until until);
enum darn_deadlock_until darn_until_named(const char *name);

struct darn_section {
    const char *variable;
    const char *type; /* the struct that it is a member of, as the compiler writes it; NULL or "":
                         that is not known */
    const char *file;
    const char *function; /* "" of a section over lines */
    const char *why;      /* why it was dropped; NULL: it was not */
    uint32_t first, last; /* of a section over lines; 0 otherwise */
    uint8_t kind;         /* enum darn_section_kind */
    bool has_allow;       /* of a section over lines: `allow` was given, */
    uint8_t allow;        /* and is this */
    uint8_t until;        /* of an order: enum darn_deadlock_until */
    uint16_t inside;      /* enum darn_section_inside, or-ed */
    uint32_t position;    /* where it begins in the file: the line, */
    uint32_t column;      /* and the column, in bytes from 1 */
    uint32_t count;
    struct darn_point points[DARN_SECTION_POINTS]; /* the entry, then calls, ends, leaves */
};

/* Nothing that the compiler records is such a section: what it says of its accesses is all there is. */
static inline bool darn_section_is_of_accesses(uint8_t kind)
{
    return kind == DARN_SECTION_ORDER || kind == DARN_SECTION_TOGETHER;
}

/* It begins in one function and ends in another one, or in the same; nobody looks at frames. */
static inline bool darn_section_is_anywhere(uint8_t kind)
{
    return kind == DARN_SECTION_LEARNED || kind == DARN_SECTION_TOGETHER;
}

/* Whether it is one by hand, over lines (`bank.c:120-131 balance`). */
static inline bool darn_section_is_lines(const struct darn_section *section)
{
    return section->first != 0;
}

/* The names used in the file: `load-and-store`, `entry`, `read`; NULL when there is no such number.
 */
const char *darn_section_kind_name(uint8_t kind);
const char *darn_section_inside_name(unsigned bit); /* by the number of the bit: 0 for SYNC */

/* What others may do between two accesses, in a section of the kind: table 1 of AtomRace; to
 * several variables that belong together, nothing that could show. */
uint8_t darn_section_default(uint8_t kind, uint8_t first, uint8_t last);

/* darn_site_key of the point. */
uint64_t darn_point_key(const struct darn_point *point);

/* Whether a name that a person wrote means this variable: the whole, or its last part (`balance`
 * means `acct->balance`, too). */
bool darn_section_means(const char *variable, const char *written);

/* Whether the file that a person wrote means this one: the whole, or its last parts; or a full path
 * whose last parts it is, since that is how reports name a file that the compiler was given so. */
bool darn_section_means_file(const char *file, const char *written);

/* Something is wrong with the file; the rest of it is used. `text` has no newline. */
struct darn_repository_error {
    uint32_t line, column;
    const char *text;
};

struct darn_repository_reader {
    /* Strings live until the callback returns. `section` may return false to stop. */
    bool (*section)(void *context, const struct darn_section *section);
    void (*error)(void *context, const struct darn_repository_error *error);
    bool with_dropped; /* those of "dropped", too */
    void *context;
    /* Room for the strings of one section. */
    char *room;
    size_t room_size; /* 64 KB is plenty */
};

/*
 * Reads the text of a repository. Where it is not what it should be, the error is told with its
 * position, and reading goes on with the next section. Returns the number of errors.
 */
uint32_t darn_repository_read(const char *text, size_t size, struct darn_section *section,
                              const struct darn_repository_reader *reader);

/* Begins a repository, up to its version: {"darn-sections": 1 */
void darn_repository_open(struct darn_json *json);

/* How all of the file is written: people edit it, and files are found by their exact names. */
void darn_repository_style(struct darn_json *json);

/* Appends one section to a list, on a line of its own. */
void darn_section_write(struct darn_json *json, const struct darn_section *section);

#endif
