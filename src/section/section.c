#include "section/section.h"

#include <string.h>

#include "base/hash.h"

static const char *const kind_names[] = {
    [DARN_SECTION_LOAD_STORE] = "load-and-store",
    [DARN_SECTION_TEST_USE] = "test-and-use",
    [DARN_SECTION_PAIR] = "pair",
    [DARN_SECTION_LEARNED] = "learned",
    [DARN_SECTION_HAND] = "by-hand",
    [DARN_SECTION_RACE] = "race",
    [DARN_SECTION_ORDER] = "order",
    [DARN_SECTION_TOGETHER] = "together",
};

static const char *const inside_names[] = {"synchronization", "calls", "unknown-calls", "loops",
                                           "across-calls"};

const char *darn_section_kind_name(uint8_t kind)
{
    return kind < DARN_SECTION_KINDS ? kind_names[kind] : NULL;
}

const char *darn_section_inside_name(unsigned bit)
{
    return bit < sizeof(inside_names) / sizeof(inside_names[0]) ? inside_names[bit] : NULL;
}

const char *darn_until_name(enum darn_deadlock_until until)
{
    static const char *const names[] = {NULL, "done", "gone", "through"};

    return names[until];
}

enum darn_deadlock_until darn_until_named(const char *name)
{
    for (enum darn_deadlock_until until = DARN_UNTIL_DONE; until <= DARN_UNTIL_THROUGH; until++) {
        if (strcmp(name, darn_until_name(until)) == 0)
            return until;
    }
    return DARN_UNTIL_NOTHING;
}

uint8_t darn_section_default(uint8_t kind, uint8_t first, uint8_t last)
{
    if (kind != DARN_SECTION_TOGETHER)
        return darn_section_allows(first, last);
    return first == DARN_SITE_READ && last == DARN_SITE_READ ? DARN_ALLOW_READ : 0;
}

uint64_t darn_point_key(const struct darn_point *point)
{
    struct darn_site site = {
        .line = point->line, .column = (uint16_t)point->column, .kind = point->kind};

    return darn_site_key_of(&site, point->file, point->function);
}

/* Whether the text is the end of the other, from one of these characters on. */
static bool is_last_part(const char *whole, const char *part, const char *separators)
{
    size_t length = strlen(whole), part_length = strlen(part);

    if (!part_length || part_length > length || strcmp(whole + length - part_length, part) != 0)
        return false;
    return length == part_length || strchr(separators, whole[length - part_length - 1]);
}

bool darn_section_means(const char *variable, const char *written)
{
    return is_last_part(variable, written, ".>*");
}

bool darn_section_means_file(const char *file, const char *written)
{
    return is_last_part(file, written, "/") ||
           (written[0] == '/' && is_last_part(written, file, "/"));
}
