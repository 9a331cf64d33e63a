#include "base/spelling.h"

#include <stdint.h>
#include <string.h>

#define MOST 64

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Damerau and Levenshtein, of neighbours that are exchanged once. Three rows of the table are
 * kept. */
size_t darn_spelling_distance(const char *word, const char *name)
{
    size_t rows[3][MOST], length = strlen(name), height = strlen(word);
    size_t *before = rows[0], *last = rows[1], *row = rows[2];

    if (length >= MOST || height >= MOST)
        return SIZE_MAX;
    for (size_t j = 0; j <= length; j++)
        last[j] = j;
    for (size_t i = 1; i <= height; i++) {
        size_t *spare = before;

        row[0] = i;
        for (size_t j = 1; j <= length; j++) {
            row[j] = last[j - 1] + (word[i - 1] != name[j - 1]);
            row[j] = least(row[j], least(last[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && word[i - 1] == name[j - 2] && word[i - 2] == name[j - 1])
                row[j] = least(row[j], before[j - 2] + 1);
        }
        before = last;
        last = row;
        row = spare;
    }
    return last[length];
}

bool darn_spelling_is_near(const char *word, const char *name, size_t distance)
{
    size_t length = least(strlen(word), strlen(name));

    return length > 1 && distance <= (length < 6 ? 1 : length / 3);
}
