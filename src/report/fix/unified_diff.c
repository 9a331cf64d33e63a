/*
 * Myers 1986, "An O(ND) Difference Algorithm", the greedy one: D, the number of lines that differ,
 * is small here. For each d the furthest x of each diagonal is kept, to walk back.
 */
#include "report/fix/unified_diff.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define CONTEXT 3
#define MOST    1000 /* differences; texts that have more are taken for all different */

struct lines {
    const char **at; /* at[count] is the end of the text */
    unsigned count;
};

struct comparison {
    struct lines before, after;
    bool *gone, *added; /* which lines */
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

static bool is_same(const struct comparison *at, unsigned x, unsigned y)
{
    size_t length = length_of(&at->before, x);

    return length == length_of(&at->after, y) &&
           memcmp(at->before.at[x], at->after.at[y], length) == 0;
}

/* How far one comes from (x, y) without a difference. */
static int slide(const struct comparison *at, int x, int y)
{
    while (x < (int)at->before.count && y < (int)at->after.count &&
           is_same(at, (unsigned)x, (unsigned)y))
        x++, y++;
    return x;
}

/* Whether the best way to the diagonal k with d differences ends with a line that is added. */
static bool is_down(const int *furthest, int k, int d)
{
    return k == -d || (k != d && furthest[k - 1] < furthest[k + 1]);
}

/* furthest[d][d + 1 + k] is how far d differences come on the diagonal k. */
static void walk_back(struct comparison *at, int **furthest, int d)
{
    int x = (int)at->before.count, y = (int)at->after.count;

    for (; d > 0; d--) {
        const int *last = furthest[d - 1] + d;
        int k = x - y;
        bool down = is_down(last, k, d);
        int from = down ? last[k + 1] : last[k - 1];

        x = from;
        y = from - (down ? k + 1 : k - 1);
        if (down)
            at->added[y] = true;
        else
            at->gone[x] = true;
    }
}

static void compare(struct comparison *at)
{
    int **furthest = darn_need_zeroed(MOST + 1, sizeof(*furthest));
    int n = (int)at->before.count, m = (int)at->after.count, d;
    bool done = false;

    for (d = 0; d <= MOST && !done; d++) {
        int *here = darn_need_zeroed(2 * (size_t)d + 3, sizeof(int));

        furthest[d] = here;
        here += d + 1; /* here[k] is of the diagonal k, from -d - 1 to d + 1 */
        for (int k = -d - 1; k <= d + 1; k++)
            here[k] = INT_MIN / 2;
        for (int k = -d; k <= d && !done; k += 2) {
            const int *last = d ? furthest[d - 1] + d : NULL;
            int x = !d ? 0 : is_down(last, k, d) ? last[k + 1] : last[k - 1] + 1;

            if (x < 0 || x > n || x - k < 0 || x - k > m)
                continue;
            here[k] = slide(at, x, x - k);
            done = here[k] == n && here[k] - k == m;
        }
    }
    if (done) {
        walk_back(at, furthest, d - 1);
    } else {
        memset(at->gone, 1, at->before.count);
        memset(at->added, 1, at->after.count);
    }
    for (int i = 0; i < d; i++)
        free(furthest[i]);
    free(furthest);
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
    unsigned changed;

    at.gone = darn_need_zeroed(at.before.count, sizeof(bool));
    at.added = darn_need_zeroed(at.after.count, sizeof(bool));
    compare(&at);
    changed = print_hunks(&at, name, out);
    free(at.gone);
    free(at.added);
    free(at.before.at);
    free(at.after.at);
    return changed;
}
