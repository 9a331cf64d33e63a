#include "report/fix/unified_diff.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/differ.h"
#include "base/grow.h"

#define CONTEXT 3

struct lines {
    const char **at; /* at[count] is the end of the text */
    unsigned count;
};

struct comparison {
    struct lines before, after;
    const bool *gone, *added; /* which lines */
};

static struct lines split(const char *text)
{
    struct lines lines = {.at = NULL};
    size_t room = 0;

    for (;;) {
        const char *end = strchr(text, '\n');

        lines.at = darn_grow(lines.at, &room, lines.count + 1, sizeof(*lines.at));
        lines.at[lines.count] = text;
        if (!*text)
            return lines;
        lines.count++;
        text = end ? end + 1 : text + strlen(text);
    }
}

static size_t length_of(const struct lines *lines, unsigned i)
{
    return (size_t)(lines->at[i + 1] - lines->at[i]);
}

static bool is_same(const struct darn_differ *differ, size_t x, size_t y)
{
    const struct comparison *at = differ->context;
    size_t length = length_of(&at->before, (unsigned)x);

    return length == length_of(&at->after, (unsigned)y) &&
           memcmp(at->before.at[x], at->after.at[y], length) == 0;
}

static void print_line(FILE *out, char mark, const struct lines *lines, unsigned i)
{
    size_t length = length_of(lines, i);

    fputc(mark, out);
    fwrite(lines->at[i], 1, length, out);
    if (lines->at[i][length - 1] != '\n')
        fputs("\n\\ No newline at end of file\n", out);
}

/* A place between lines of both texts. */
struct place {
    unsigned x, y;
};

static bool is_change(const struct comparison *at, struct place place)
{
    return (place.x < at->before.count && at->gone[place.x]) ||
           (place.y < at->after.count && at->added[place.y]);
}

static bool is_end(const struct comparison *at, struct place place)
{
    return place.x == at->before.count && place.y == at->after.count;
}

static struct place next_change(const struct comparison *at, struct place place)
{
    while (!is_end(at, place) && !is_change(at, place))
        place.x++, place.y++;
    return place;
}

static struct place behind_change(const struct comparison *at, struct place place)
{
    while (place.x < at->before.count && at->gone[place.x])
        place.x++;
    while (place.y < at->after.count && at->added[place.y])
        place.y++;
    return place;
}

/* `first` to `last`: all lines with changes; returns how many. */
static unsigned print_hunk(const struct comparison *at, struct place first, struct place last,
                           FILE *out)
{
    unsigned context = first.x < CONTEXT ? first.x : CONTEXT, changed = 0;
    unsigned behind = at->before.count - last.x < CONTEXT ? at->before.count - last.x : CONTEXT;
    struct place end = {last.x + behind, last.y + behind};
    struct place place = {first.x - context, first.y - context};
    unsigned lines[2] = {end.x - place.x, end.y - place.y};

    /* A range without lines is named by the line before it. */
    fprintf(out, "@@ -%u,%u +%u,%u @@\n", place.x + (lines[0] > 0), lines[0],
            place.y + (lines[1] > 0), lines[1]);
    while (place.x < end.x || place.y < end.y) {
        if (place.x < end.x && at->gone[place.x]) {
            print_line(out, '-', &at->before, place.x++);
            changed++;
        } else if (place.y < end.y && at->added[place.y]) {
            print_line(out, '+', &at->after, place.y++);
            changed++;
        } else {
            print_line(out, ' ', &at->before, place.x++);
            place.y++;
        }
    }
    return changed;
}

static unsigned print_hunks(const struct comparison *at, const char *name, FILE *out)
{
    struct place change = next_change(at, (struct place){0, 0});
    unsigned changed = 0;

    if (is_end(at, change))
        return 0;
    fprintf(out, "--- a/%s\n+++ b/%s\n", name, name);
    while (!is_end(at, change)) {
        struct place last = behind_change(at, change), next = next_change(at, last);

        while (!is_end(at, next) && next.x - last.x <= 2 * CONTEXT) {
            last = behind_change(at, next);
            next = next_change(at, last);
        }
        changed += print_hunk(at, change, last, out);
        change = next;
    }
    return changed;
}

unsigned darn_unified_diff(const char *before, const char *after, const char *name, FILE *out)
{
    struct comparison at = {.before = split(before), .after = split(after)};
    struct darn_differ differ = {
        .before = at.before.count, .after = at.after.count, .is_same = is_same, .context = &at};
    unsigned changed;

    darn_differ(&differ);
    at.gone = differ.gone;
    at.added = differ.added;
    changed = print_hunks(&at, name, out);
    free(differ.gone);
    free(differ.added);
    free(at.before.at);
    free(at.after.at);
    return changed;
}
