/*
 * A growing list of words, as of a command line. The list owns copies of its words.
 */
#ifndef DARN_BASE_WORDS_H
#define DARN_BASE_WORDS_H

#include <stddef.h>

struct darn_words {
    char **items; /* ends with NULL; NULL itself while the list is empty */
    size_t count;
    size_t room;
};

/* A list starts as {0}. When memory runs out the process ends with a message. */
void darn_words_free(struct darn_words *words);
void darn_words_add(struct darn_words *words, const char *word);
void darn_words_add_part(struct darn_words *words, const char *text, size_t length);
/* Adds prefix and word as one word. */
void darn_words_join(struct darn_words *words, const char *prefix, const char *word);

#endif
