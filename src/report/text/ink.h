/*
 * Text for people: coloured where that is wanted, and never able to command their terminal.
 */
#ifndef DARN_REPORT_INK_H
#define DARN_REPORT_INK_H

#include <stdbool.h>
#include <stdio.h>

enum darn_tint {
    DARN_TINT_PLAIN,
    DARN_TINT_BOLD,
    DARN_TINT_WARNING,
    DARN_TINT_NOTE,
    DARN_TINT_CARET,
    DARN_TINT_LABEL,
};

struct darn_ink {
    FILE *out;
    bool color;
};

/* Colours what is said next. */
void darn_tint(struct darn_ink *ink, enum darn_tint tint);

/* Prints. Names come from the program under test: whatever in them a terminal would obey becomes
 * '?', line breaks too, except for one at the end of `format` itself. */
void darn_say(struct darn_ink *ink, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A colour for one piece of text. */
void darn_say_in(struct darn_ink *ink, enum darn_tint tint, const char *text);

#endif
