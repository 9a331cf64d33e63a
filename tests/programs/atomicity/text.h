/*
 * A string that grows, after java.lang.StringBuffer of JDK 1.4.2: every method takes the lock of
 * its object.
 *
 * Not atomic: text_append, which asks the other text for its length and then for so many
 * characters. Benign: text_get_chars refuses what is not there, and text_append says so.
 */
#ifndef ATOMICITY_TEXT_H
#define ATOMICITY_TEXT_H

#include <pthread.h>
#include <stdbool.h>

struct text {
    pthread_mutex_t lock; /* of all that follows */
    char *chars;
    int length;
    int capacity;
};

struct text *text_create(const char *string);
void text_destroy(struct text *text);

/* What takes a position does nothing, or gives 0 or -1, where the text has no such one. */
int text_length(struct text *text);
int text_capacity(struct text *text);
char text_char_at(struct text *text, int at);
int text_get_chars(struct text *text, int from, int to, char *into); /* 0, or -1: out of range */
char *text_to_string(struct text *text);                             /* to be freed */
int text_index_of(struct text *text, char which);                    /* -1: none */

void text_append_string(struct text *text, const char *string);
void text_insert_string(struct text *text, int at, const char *string);
void text_set_char_at(struct text *text, int at, char which);
void text_set_length(struct text *text, int length);
void text_delete(struct text *text, int from, int to);
void text_replace(struct text *text, int from, int to, const char *string);
void text_reverse(struct text *text);
void text_reserve(struct text *text, int capacity);

/* 0, or -1: the other text has become shorter meanwhile. */
int text_append(struct text *text, struct text *other);
void text_insert(struct text *text, int at, struct text *other);
bool text_equals(struct text *text, struct text *other);

/* Whether the numbers of the text fit together; a test of the test. */
bool text_is_sound(struct text *text);

#endif
