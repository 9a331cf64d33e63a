/*
 * The small texts within a repository: points, sets of operations, sections over lines.
 */
#ifndef DARN_SECTION_POINT_H
#define DARN_SECTION_POINT_H

#include "section/scan.h"
#include "section/section.h"

#define DARN_POINT_NO_ALLOW 0xff /* an end that does not say what it allows */

/* Read from `text`, which is cut into pieces: the strings of the result lie in it. file and
 * function are NULL where the text names none. A problem's offset is a byte of the text. */
bool darn_point_read(char *text, uint8_t role, struct darn_point *point,
                     struct darn_problem *problem);
bool darn_lines_read(char *text, struct darn_section *section, struct darn_problem *problem);

/* Appended as the file has them, before JSON has escaped anything. */
void darn_point_write(struct darn_text *text, const struct darn_section *section,
                      const struct darn_point *point);
void darn_lines_write(struct darn_text *text, const struct darn_section *section);

#endif
