/*
 * The words of a JSON text, one after the other, with the offset of the first that is wrong.
 *
 * Made for a file that people edit: a string must end in its line, so that a forgotten quote spoils
 * one line only, and whatever is wrong is told as a sentence. No allocation, no recursion without a
 * bound.
 */
#ifndef DARN_SECTION_SCAN_H
#define DARN_SECTION_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* What is wrong first; later ones are dropped. */
struct darn_problem {
    bool is_set;
    size_t at; /* the byte of the text */
    struct darn_text text;
    char room[200];
};

void darn_problem_say(struct darn_problem *problem, size_t at, const char *before, const char *name,
                      const char *after);

struct darn_scan {
    const char *text;
    size_t size;
    size_t at;
    char *room; /* for the strings; the caller empties it */
    size_t room_size, room_used;
    struct darn_problem problem; /* of the syntax: nothing can be read once it is set */
};

/* A string of the text. */
struct darn_scan_string {
    char *text;      /* decoded, in the room; may be changed there */
    size_t at;       /* of its first quote */
    bool is_spelled; /* has no escapes: byte i of it is byte at + 1 + i of the text */
};

#define DARN_SCAN_END (-1)

/* The next character that is no blank; it is not taken. DARN_SCAN_END at the end. */
int darn_scan_peek(struct darn_scan *scan);

/* Takes the character, or says that `expected` should stand there. */
bool darn_scan_take(struct darn_scan *scan, char c, const char *expected);

/* "EXPECTED expected, not 'x'" where the scan is. */
void darn_scan_fail(struct darn_scan *scan, const char *expected);

bool darn_scan_string(struct darn_scan *scan, struct darn_scan_string *string,
                      const char *expected);

/* The value of a whole number; one that does not fit is UINT64_MAX. */
bool darn_scan_number(struct darn_scan *scan, uint64_t *number, const char *expected);

/* Passes over any value. */
bool darn_scan_skip(struct darn_scan *scan);

/* Passes over a value that is none of those that can stand here: *problem says what is expected. */
void darn_scan_refuse(struct darn_scan *scan, struct darn_problem *problem, const char *expected);

/* After an item: 1 for a comma (taken), 0 for the bracket that closes (taken), -1 for a fault. */
int darn_scan_next(struct darn_scan *scan, char close, const char *expected);

#endif
