#include "base/noise.h"

#include <errno.h>
#include <stdbool.h>

#include "base/number.h"

static const char *const kinds[] = {
    [DARN_NOISE_RANDOM] = "random:",
    [DARN_NOISE_VAR] = "var:",
    [DARN_NOISE_SITE] = "site:",
    [DARN_NOISE_SECTION] = "section:",
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* The length of the prefix when text begins with it, 0 otherwise. */
static size_t begins_with(const char *text, size_t length, const char *prefix)
{
    size_t i;

    for (i = 0; prefix[i]; i++)
        if (i >= length || text[i] != prefix[i])
            return 0;
    return i;
}

/* Where the last `c` of the text is; `length` when there is none. */
static size_t last_index(const char *text, size_t length, char c)
{
    for (size_t i = length; i > 0; i--)
        if (text[i - 1] == c)
            return i - 1;
    return length;
}

static bool parse_bounded(const char *text, size_t length, uint32_t max, uint32_t *number)
{
    uint64_t wide;

    if (!darn_number_parse(text, length, &wide) || wide > max)
        return false;
    *number = (uint32_t)wide;
    return true;
}

/* "F/S" */
static bool parse_frequency(struct darn_noise *noise, const char *text, size_t length)
{
    size_t slash = last_index(text, length, '/');

    return slash < length && parse_bounded(text, slash, DARN_NOISE_FREQUENCY, &noise->frequency) &&
           parse_bounded(text + slash + 1, length - slash - 1, DARN_NOISE_STRENGTH,
                         &noise->strength);
}

/* Cuts the last field off: returns it and its length, and shortens *length to what is left of the
 * colon. NULL when there is no colon. */
static const char *cut_last_field(const char *text, size_t *length, size_t *field_length)
{
    size_t colon = last_index(text, *length, ':');

    if (colon == *length)
        return NULL;
    *field_length = *length - colon - 1;
    *length = colon;
    return text + colon + 1;
}

static int set_name(struct darn_noise *noise, const char *text, size_t length)
{
    if (length == 0)
        return -EINVAL;
    if (length >= DARN_NOISE_NAME)
        return -ENAMETOOLONG;
    for (size_t i = 0; i < length; i++)
        noise->name[i] = text[i];
    noise->name[length] = '\0';
    return 0;
}

/* "NAME:F/S" or "FILE:LINE:F/S" */
static int parse_named(struct darn_noise *noise, const char *text, size_t length)
{
    size_t field_length;
    const char *field = cut_last_field(text, &length, &field_length);

    if (!field || !parse_frequency(noise, field, field_length))
        return -EINVAL;
    if (noise->kind == DARN_NOISE_SITE) {
        field = cut_last_field(text, &length, &field_length);
        if (!field || !parse_bounded(field, field_length, UINT32_MAX, &noise->line) ||
            noise->line == 0)
            return -EINVAL;
    }
    return set_name(noise, text, length);
}

int darn_noise_parse(struct darn_noise *noise, const char *text, size_t length)
{
    noise->line = 0;
    noise->name[0] = '\0';
    for (unsigned kind = 0; kind < KINDS; kind++) {
        size_t skip = begins_with(text, length, kinds[kind]);

        if (!skip)
            continue;
        noise->kind = (enum darn_noise_kind)kind;
        if (!darn_noise_is_named(noise->kind))
            return parse_frequency(noise, text + skip, length - skip) ? 0 : -EINVAL;
        return parse_named(noise, text + skip, length - skip);
    }
    return -EINVAL;
}

static bool specification_follows(const char *text, size_t length)
{
    while (length && *text == ' ') {
        text++;
        length--;
    }
    for (unsigned kind = 0; kind < KINDS; kind++)
        if (begins_with(text, length, kinds[kind]))
            return true;
    return length == 0;
}

size_t darn_noise_length(const char *list, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (list[i] == ',' && specification_follows(list + i + 1, length - i - 1))
            return i;
    return length;
}

void darn_noise_format(const struct darn_noise *noise, struct darn_text *text)
{
    darn_text_add(text, kinds[noise->kind]);
    if (darn_noise_is_named(noise->kind)) {
        darn_text_add(text, noise->name);
        darn_text_char(text, ':');
    }
    if (noise->kind == DARN_NOISE_SITE) {
        darn_text_number(text, noise->line);
        darn_text_char(text, ':');
    }
    darn_text_number(text, noise->frequency);
    darn_text_char(text, '/');
    darn_text_number(text, noise->strength);
}

int darn_noise_equal(const struct darn_noise *a, const struct darn_noise *b)
{
    size_t i = 0;

    if (a->kind != b->kind || a->line != b->line || a->frequency != b->frequency ||
        a->strength != b->strength)
        return 0;
    while (a->name[i] && a->name[i] == b->name[i])
        i++;
    return a->name[i] == b->name[i];
}
