#include "base/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

void darn_words_free(struct darn_words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->items[i]);
    free(words->items);
    *words = (struct darn_words){0};
}

/* Takes the word over. */
static void take(struct darn_words *words, char *word)
{
    if (words->count + 2 > words->room) {
        words->room = words->room ? words->room * 2 : 64;
        words->items = darn_need_memory(realloc(words->items, words->room * sizeof(*words->items)));
    }
    words->items[words->count++] = word;
    words->items[words->count] = NULL;
}

void darn_words_add(struct darn_words *words, const char *word)
{
    take(words, darn_need_memory(strdup(word)));
}

void darn_words_add_part(struct darn_words *words, const char *text, size_t length)
{
    take(words, darn_need_memory(strndup(text, length)));
}

void darn_words_join(struct darn_words *words, const char *prefix, const char *word)
{
    size_t size = strlen(prefix) + strlen(word) + 1;
    char *joined = darn_need_memory(malloc(size));

    snprintf(joined, size, "%s%s", prefix, word);
    take(words, joined);
}
