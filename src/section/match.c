#include "section/match.h"

#include <string.h>

#include "base/hash.h"

struct darn_shape darn_shape_of_section(const struct darn_section *section)
{
    struct darn_shape shape = {.file = section->file,
                               .function = section->function,
                               .variable = section->variable,
                               .type = section->type,
                               .kind = section->kind};

    for (uint32_t i = 0; i < section->count; i++) {
        const struct darn_point *point = &section->points[i];

        if (point->role == DARN_ROLE_ENTRY)
            shape.entry = point->kind;
        else if (point->role == DARN_ROLE_END)
            shape.ends |= (uint8_t)(1 << point->kind);
    }
    return shape;
}

struct darn_shape darn_shape_of_record(const struct darn_section_record *record)
{
    struct darn_shape shape = {.file = darn_site_string(&record->file),
                               .function = darn_site_string(&record->function),
                               .variable = darn_site_string(&record->variable),
                               .type = darn_site_string(&record->type),
                               .kind = record->kind};

    for (uint32_t i = 0; i < record->count; i++) {
        const struct darn_section_point *point = &record->points[i];

        if (point->role == DARN_ROLE_ENTRY)
            shape.entry = point->kind;
        else if (point->role == DARN_ROLE_END)
            shape.ends |= (uint8_t)(1 << point->kind);
    }
    return shape;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* What somebody learned or wrote down is one of the compiler's kinds in the program. */
static bool is_kind_of_compiler(uint8_t kind)
{
    return kind <= DARN_SECTION_PAIR;
}

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

bool darn_shape_means(const struct darn_shape *wanted, const struct darn_shape *found)
{
    return (wanted->kind == found->kind || !is_kind_of_compiler(wanted->kind)) &&
           wanted->entry == found->entry && wanted->ends == found->ends &&
           strcmp(wanted->function, found->function) == 0 &&
           strcmp(wanted->variable, found->variable) == 0 &&
           darn_type_may_be(wanted->type, found->type) &&
           strcmp(last_part(wanted->file), last_part(found->file)) == 0;
}

static bool is_of_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || (unsigned char)c >= 0x80;
}

/* `tab[].next[]` ends in `next`: what is in brackets is no part of the name. */
const char *darn_variable_last(const char *variable, uint32_t *length)
{
    size_t end = strlen(variable), start;

    while (end && !is_of_name(variable[end - 1]))
        end--;
    for (start = end; start && is_of_name(variable[start - 1]);)
        start--;
    *length = (uint32_t)(end - start);
    return variable + start;
}

uint64_t darn_variable_hash(const char *variable)
{
    uint32_t length;
    const char *last = darn_variable_last(variable, &length);

    return length ? darn_hash_bytes(DARN_HASH_START, last, length) | 1 : 0;
}

uint8_t darn_variable_class(const char *variable)
{
    size_t length = strlen(variable);

    if ((!strchr(variable, '.') && !strstr(variable, "->")) || variable[length - 1] == ']')
        return DARN_VARIABLE_ANY;
    return variable[0] == '*' ? DARN_VARIABLE_POINTEE : DARN_VARIABLE_MEMBER;
}

bool darn_variable_same(const char *one, const char *other)
{
    uint32_t length, other_length;
    const char *last = darn_variable_last(one, &length);
    const char *other_last = darn_variable_last(other, &other_length);

    return length && length == other_length && memcmp(last, other_last, length) == 0 &&
           darn_variable_class(one) & darn_variable_class(other);
}
