#include "base/fingerprint.h"

#include <string.h>

#include "base/hash.h"

static const char *text_of(const char *text)
{
    return text ? text : "";
}

uint64_t darn_fingerprint_site(const char *kind, const char *file, const char *function,
                               uint32_t line, uint32_t column)
{
    uint64_t hash = darn_hash_string(DARN_HASH_START, kind);

    hash = darn_hash_string(hash, text_of(file));
    hash = darn_hash_string(hash, text_of(function));
    hash = darn_hash_number(darn_hash_number(hash, line), column);
    return hash ? hash : 1;
}

uint64_t darn_fingerprint_word(const char *kind, const char *word)
{
    return darn_hash_string(darn_hash_string(DARN_HASH_START, kind), word);
}

bool darn_fingerprint_is_plain(const char *variable)
{
    return !strpbrk(variable, "->*[");
}

bool darn_fingerprint_is_telling(const char *variable)
{
    return !darn_fingerprint_is_plain(variable) && *variable != '*' &&
           strncmp(variable, "this->", 6) != 0;
}

const char *darn_fingerprint_variable(const char *a, const char *b)
{
    if (!*text_of(a) || !*text_of(b))
        return *text_of(a) ? a : b;
    if (darn_fingerprint_is_plain(a) != darn_fingerprint_is_plain(b))
        return darn_fingerprint_is_plain(a) ? a : b;
    return strcmp(a, b) <= 0 ? a : b;
}

/* Without constant indices: an unrolled loop makes cells[0], cells[1], … of one place in the
 * source. */
static uint64_t hash_variable(uint64_t hash, const char *variable)
{
    bool in_brackets = false;

    for (; *variable; variable++) {
        if (*variable == '[' || *variable == ']')
            in_brackets = *variable == '[';
        else if (in_brackets)
            continue;
        hash = darn_hash_byte(hash, (unsigned char)*variable);
    }
    return hash;
}

uint64_t darn_fingerprint_race(uint64_t one, uint64_t other, const char *variable)
{
    uint64_t both = one < other ? one * 31 + other : other * 31 + one;

    return hash_variable(both, text_of(variable));
}

/* There are few. */
static void sort(uint64_t *places, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        uint64_t place = places[i];
        size_t at = i;

        for (; at > 0 && places[at - 1] > place; at--)
            places[at] = places[at - 1];
        places[at] = place;
    }
}

uint64_t darn_fingerprint_places(const char *kind, uint64_t *places, size_t count,
                                 const char *reason, const char *variable)
{
    uint64_t hash = darn_hash_string(DARN_HASH_START, kind);

    sort(places, count);
    for (size_t i = 0; i < count; i++)
        hash = hash * 31 + places[i];
    if (reason)
        hash = darn_hash_string(hash, reason);
    return hash_variable(hash, text_of(variable));
}

void darn_fingerprint_text(uint64_t fingerprint, char text[DARN_FINGERPRINT_TEXT])
{
    for (int i = 0; i < 16; i++)
        text[i] = "0123456789abcdef"[fingerprint >> (60 - 4 * i) & 15];
    text[16] = '\0';
}
