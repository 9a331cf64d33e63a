/*
 * Texts and marks of a schedule file. Pure: see docs/schedule-format.md.
 */
#ifndef DARN_SCHEDULE_SCHEDULE_TEXT_H
#define DARN_SCHEDULE_SCHEDULE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define DARN_SCHEDULE_VERSION 1

/* One mark for each bit of a step's flags, the lowest first. Four bits have no meaning yet, and
 * survive a round trip all the same. */
#define DARN_SCHEDULE_MARKS "!.~?%&=^"

/* One word for each bit of the flags of a run; what is left over is written as a number. */
#define DARN_SCHEDULE_RUN_FLAGS 11
extern const char *const darn_schedule_run_flags[DARN_SCHEDULE_RUN_FLAGS];

/* The word for an aim of a triple, by its kind; NULL for others. */
const char *darn_schedule_aim_name(uint32_t kind);

/* Writes a text so that it is the rest of one line: control characters, backslashes, and blanks at
 * its ends become escapes. */
void darn_schedule_put_text(FILE *file, const char *text);

/* Undoes that in place. False when an escape is none. */
bool darn_schedule_get_text(char *text);

/* Exactly `length` hexadecimal digits, at most 16. */
bool darn_schedule_get_hex(const char *text, size_t length, uint64_t *number);

#endif
