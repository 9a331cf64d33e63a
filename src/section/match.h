/*
 * Which sections of a program those of a repository mean, when the program is not the one that the
 * repository is from: lines have moved, or it was built by another compiler.
 *
 * A section is meant for certain when its entry and its ends are where the repository says. Else it
 * is meant when it has the same shape, in the same function and over the same variable, and there
 * are as many of that shape in the program as in the repository: then none of them is another one.
 *
 * Pure, and in the program under test as well.
 */
#ifndef DARN_SECTION_MATCH_H
#define DARN_SECTION_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "section/section.h"

/* What stays when lines move. */
struct darn_shape {
    const char *file; /* of the function */
    const char *function;
    const char *variable;
    const char *type; /* as in struct darn_section */
    uint8_t kind;     /* enum darn_section_kind */
    uint8_t entry;    /* enum darn_site_kind */
    uint8_t ends;     /* bits, by enum darn_site_kind */
};

struct darn_shape darn_shape_of_section(const struct darn_section *section);
struct darn_shape darn_shape_of_record(const struct darn_section_record *record);

/* Whether the one that the repository has may mean the other. Files are compared by their last
 * part: the directory may be another one. */
bool darn_shape_means(const struct darn_shape *wanted, const struct darn_shape *found);

/*
 * The last part of a variable's name: `balance` of `acct->balance`, `tab[].balance` and `balance`;
 * `p` of `*p`. Accesses to the same memory have it in common when they have a name at all.
 */
const char *darn_variable_last(const char *variable, uint32_t *length);

/* How names of structs begin in C++. */
#define DARN_TYPE_CPLUSPLUS "_ZTS"

bool darn_type_is_cplusplus(const char *type);

/*
 * The name that a struct of C++ has in C, in a header that files in both languages include: its
 * last part, `inner` of `_ZTSN5outer5innerE`. A class around it does not count in C, and cannot be
 * told from a namespace. NULL: it is a name of C, or C has no such types.
 */
const char *darn_type_in_c(const char *type, uint32_t *length);

/* Whether members of the two structs may be the same memory: they are the same, or one of them is
 * not known (NULL, or empty). */
bool darn_type_may_be(const char *one, const char *other);

/* Of that part: names that may be the same have the same; 0 when there is none. */
uint64_t darn_variable_hash(const char *variable);

/* What a name can stand for. */
enum darn_variable_class {
    DARN_VARIABLE_MEMBER = 1,  /* of a struct: `acct->balance`, `tab[].balance`, */
    DARN_VARIABLE_POINTEE = 2, /* what such a member points to: `*acct->owner`, */
    DARN_VARIABLE_ANY = 3,     /* any of these: `balance`, `*balance`, `bank->tab[]` */
};

uint8_t darn_variable_class(const char *variable);

/* Whether two names may stand for the same memory: they have the same last part, and not one is a
 * member and the other what it points to. Empty names do
 * not. */
bool darn_variable_same(const char *one, const char *other);

#endif
