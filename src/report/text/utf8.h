/*
 * Text that is safe to parse and to print.
 */
#ifndef DARN_REPORT_UTF8_H
#define DARN_REPORT_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The length of the character at `text`, which ends before `end`, and its code point. 1 and
 * DARN_UTF8_WRONG when the byte there does not begin a character. */
#define DARN_UTF8_WRONG UINT32_MAX
size_t darn_utf8_next(const char *text, const char *end, uint32_t *code);

/* Whether a terminal would obey the character instead of showing it: control characters, and those
 * that change the direction of the text around them. */
bool darn_utf8_is_control(uint32_t code);

/* Replaces in place, by '?', every byte that does not belong to a character. */
void darn_utf8_repair(char *text, size_t length);

#endif
