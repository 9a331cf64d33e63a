/*
 * Names of variables and of types, as the compiler writes them: which may stand for the same
 * memory.
 *
 * Pure, and in the program under test as well.
 */
#ifndef DARN_SECTION_ALIAS_H
#define DARN_SECTION_ALIAS_H

#include <stdbool.h>
#include <stdint.h>

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
 * member and the other what it points to. Empty names do not. */
bool darn_variable_same(const char *one, const char *other);

/* The same for two names of one access, in two builds: where the compiler does not see what a
 * pointer points to, it has only `*to`, or no name at all, and that may be any variable. */
bool darn_variable_may_be(const char *one, const char *other);

#endif
