/*
 * Whether reports are coloured.
 */
#ifndef DARN_REPORT_COLOR_H
#define DARN_REPORT_COLOR_H

#include <stdbool.h>
#include <stdint.h>

/* `choice` is an enum darn_color; automatic: when `fd` is a terminal that shows colours. */
bool darn_wants_color(uint32_t choice, int fd);

#endif
