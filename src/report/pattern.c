#include "report/pattern.h"

#include <string.h>

/* Whether `length` bytes of pattern, without wildcards, stand in the text at once or, with
 * `anywhere`, later. Returns what follows them, or NULL. */
static const char *skip(const char *text, const char *pattern, size_t length, bool anywhere)
{
    do {
        if (strncmp(text, pattern, length) == 0)
            return text + length;
    } while (anywhere && *text++);
    return NULL;
}

/* The piece up to `$` must be the last of the text: the end is tried, not the first occurrence, so
 * that `a$` matches `banana`. */
static bool ends_with(const char *text, const char *piece, size_t length, bool anywhere)
{
    size_t rest = strlen(text);

    return rest >= length && (anywhere || rest == length) &&
           memcmp(text + rest - length, piece, length) == 0;
}

bool darn_pattern_matches(const char *pattern, const char *text)
{
    bool anywhere = *pattern != '^';

    if (!text || !*text)
        return false;
    if (!anywhere)
        pattern++;
    for (;;) {
        size_t length = strcspn(pattern, "*$");

        if (pattern[length] == '$')
            return ends_with(text, pattern, length, anywhere);
        text = skip(text, pattern, length, anywhere);
        if (!text)
            return false;
        if (pattern[length] == '\0')
            return true;
        pattern += length + 1;
        anywhere = true;
    }
}
