#include "text.h"

#include <stdlib.h>
#include <string.h>

#include "monitor.h"

/* Called with the lock held, as all static functions here, or before anyone else has the text. */
static void grow_to(struct text *text, int capacity)
{
    if (capacity <= text->capacity)
        return;
    if (capacity < 2 * text->capacity)
        capacity = 2 * text->capacity;
    text->chars = realloc(text->chars, (size_t)capacity + 1);
    if (!text->chars)
        abort();
    text->capacity = capacity;
}

/* Puts `length` characters in place of those from `from` to `to`. */
static void put(struct text *text, int from, int to, const char *chars, int length)
{
    int rest = text->length - to;

    grow_to(text, from + length + rest);
    memmove(text->chars + from + length, text->chars + to, (size_t)rest);
    memcpy(text->chars + from, chars, (size_t)length);
    text->length = from + length + rest;
}

static bool has(struct text *text, int from, int to)
{
    return from >= 0 && from <= to && to <= text->length;
}

struct text *text_create(const char *string)
{
    struct text *text = calloc(1, sizeof(*text));

    if (!text)
        abort();
    monitor_init(&text->lock);
    grow_to(text, 4);
    put(text, 0, 0, string, (int)strlen(string));
    return text;
}

void text_destroy(struct text *text)
{
    pthread_mutex_destroy(&text->lock);
    free(text->chars);
    free(text);
}

/* ---- methods of one text ---- */

int text_length(struct text *text)
{
    int length;

    monitor_enter(&text->lock);
    length = text->length;
    monitor_leave(&text->lock);
    return length;
}

int text_capacity(struct text *text)
{
    int capacity;

    monitor_enter(&text->lock);
    capacity = text->capacity;
    monitor_leave(&text->lock);
    return capacity;
}

char text_char_at(struct text *text, int at)
{
    char which;

    monitor_enter(&text->lock);
    which = has(text, at, at + 1) ? text->chars[at] : '\0';
    monitor_leave(&text->lock);
    return which;
}

int text_get_chars(struct text *text, int from, int to, char *into)
{
    bool is_there;

    monitor_enter(&text->lock);
    is_there = has(text, from, to);
    if (is_there)
        memcpy(into, text->chars + from, (size_t)(to - from));
    monitor_leave(&text->lock);
    return is_there ? 0 : -1;
}

char *text_to_string(struct text *text)
{
    char *string;

    monitor_enter(&text->lock);
    string = calloc((size_t)text->length + 1, 1);
    if (!string)
        abort();
    text_get_chars(text, 0, text->length, string);
    monitor_leave(&text->lock);
    return string;
}

int text_index_of(struct text *text, char which)
{
    int at = 0, length;

    monitor_enter(&text->lock);
    length = text->length;
    while (at < length && text->chars[at] != which)
        at++;
    monitor_leave(&text->lock);
    return at < length ? at : -1;
}

void text_replace(struct text *text, int from, int to, const char *string)
{
    monitor_enter(&text->lock);
    if (has(text, from, to))
        put(text, from, to, string, (int)strlen(string));
    monitor_leave(&text->lock);
}

void text_insert_string(struct text *text, int at, const char *string)
{
    text_replace(text, at, at, string);
}

void text_append_string(struct text *text, const char *string)
{
    monitor_enter(&text->lock);
    text_insert_string(text, text->length, string);
    monitor_leave(&text->lock);
}

void text_delete(struct text *text, int from, int to)
{
    text_replace(text, from, to, "");
}

void text_set_char_at(struct text *text, int at, char which)
{
    monitor_enter(&text->lock);
    if (has(text, at, at + 1))
        text->chars[at] = which;
    monitor_leave(&text->lock);
}

void text_set_length(struct text *text, int length)
{
    monitor_enter(&text->lock);
    grow_to(text, length);
    if (length > text->length)
        memset(text->chars + text->length, 0, (size_t)(length - text->length));
    text->length = length;
    monitor_leave(&text->lock);
}

void text_reverse(struct text *text)
{
    monitor_enter(&text->lock);
    for (int i = 0, j = text->length - 1; i < j; i++, j--) {
        char left = text->chars[i];

        text->chars[i] = text->chars[j];
        text->chars[j] = left;
    }
    monitor_leave(&text->lock);
}

void text_reserve(struct text *text, int capacity)
{
    monitor_enter(&text->lock);
    grow_to(text, capacity);
    monitor_leave(&text->lock);
}

bool text_is_sound(struct text *text)
{
    bool is_sound;

    monitor_enter(&text->lock);
    is_sound = text->length >= 0 && text->length <= text->capacity;
    monitor_leave(&text->lock);
    return is_sound;
}

/* ---- methods of two texts ---- */

int text_append(struct text *text, struct text *other)
{
    int length, status;

    monitor_enter(&text->lock);
    length = text_length(other);
    grow_to(text, text->length + length);
    status = text_get_chars(other, 0, length, text->chars + text->length);
    if (status == 0)
        text->length += length;
    monitor_leave(&text->lock);
    return status;
}

/* These two take a copy of the other text, once: they are atomic. */

void text_insert(struct text *text, int at, struct text *other)
{
    char *string = text_to_string(other);

    text_insert_string(text, at, string);
    free(string);
}

bool text_equals(struct text *text, struct text *other)
{
    char *string = text_to_string(other);
    bool is_same;

    monitor_enter(&text->lock);
    is_same = (int)strlen(string) == text->length &&
              memcmp(string, text->chars, (size_t)text->length) == 0;
    monitor_leave(&text->lock);
    free(string);
    return is_same;
}
