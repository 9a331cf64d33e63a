#include "section/alias.h"

#include <string.h>

#include "base/hash.h"

bool darn_type_is_cplusplus(const char *type)
{
    return strncmp(type, DARN_TYPE_CPLUSPLUS, strlen(DARN_TYPE_CPLUSPLUS)) == 0;
}

/* The name that begins with its length, `7account`; what follows it in `rest`. NULL: there is none.
 */
static const char *counted(const char *from, const char **rest, uint32_t *length)
{
    size_t count = 0;

    for (; *from >= '0' && *from <= '9' && count < UINT16_MAX; from++)
        count = 10 * count + (size_t)(*from - '0');
    if (!count || count > strlen(from))
        return NULL;
    *rest = from + count;
    *length = (uint32_t)count;
    return from;
}

const char *darn_type_in_c(const char *type, uint32_t *length)
{
    const char *rest, *last = NULL, *next;
    bool is_nested;

    if (!darn_type_is_cplusplus(type))
        return NULL;
    rest = type + strlen(DARN_TYPE_CPLUSPLUS);
    is_nested = *rest == 'N';
    rest += is_nested;
    while ((is_nested || !last) && (next = counted(rest, &rest, length)))
        last = next;
    return last && strcmp(rest, is_nested ? "E" : "") == 0 ? last : NULL;
}

static bool is_in_c(const char *cplusplus, const char *c)
{
    uint32_t length;
    const char *name = darn_type_in_c(cplusplus, &length);

    return name && strlen(c) == length && memcmp(name, c, length) == 0;
}

bool darn_type_may_be(const char *one, const char *other)
{
    return !one || !other || !one[0] || !other[0] || strcmp(one, other) == 0 ||
           is_in_c(one, other) || is_in_c(other, one);
}

static bool is_of_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || (unsigned char)c >= 0x80;
}

/* `tab[].next[]` ends in `next`: what is in brackets is no part of the name. */
/*
 * The last part of a variable's name: `balance` of `acct->balance`, `tab[].balance` and `balance`;
 * `p` of `*p`. Accesses to the same memory have it in common when they have a name at all.
 */
static const char *last_part(const char *variable, uint32_t *length)
{
    size_t end = strlen(variable), start;

    while (end && !is_of_name(variable[end - 1])) {
        if (variable[--end] == ']') {
            while (end && variable[end] != '[')
                end--;
        }
    }
    for (start = end; start && is_of_name(variable[start - 1]);)
        start--;
    *length = (uint32_t)(end - start);
    return variable + start;
}

uint64_t darn_variable_hash(const char *variable)
{
    uint32_t length;
    const char *last = last_part(variable, &length);

    return length ? darn_hash_bytes(DARN_HASH_START, last, length) | 1 : 0;
}

uint8_t darn_variable_class(const char *variable)
{
    size_t length = strlen(variable);

    if ((!strchr(variable, '.') && !strstr(variable, "->")) || variable[length - 1] == ']' ||
        variable[length - 1] == ')')
        return DARN_VARIABLE_ANY;
    return variable[0] == '*' ? DARN_VARIABLE_POINTEE : DARN_VARIABLE_MEMBER;
}

bool darn_variable_same(const char *one, const char *other)
{
    uint32_t length, other_length;
    const char *last = last_part(one, &length);
    const char *other_last = last_part(other, &other_length);

    return length && length == other_length && memcmp(last, other_last, length) == 0 &&
           darn_variable_class(one) & darn_variable_class(other);
}

/* It says through which pointer, or what a function returns, but not to what. */
static bool is_nameless(const char *variable)
{
    return !variable[0] || variable[strlen(variable) - 1] == ')' ||
           (variable[0] == '*' && darn_variable_class(variable) == DARN_VARIABLE_ANY);
}

bool darn_variable_may_be(const char *one, const char *other)
{
    return is_nameless(one) || is_nameless(other) || strcmp(one, other) == 0 ||
           darn_variable_same(one, other);
}
