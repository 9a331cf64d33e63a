/*
 * RapidBin, the binary form of STD (docs/trace-format.md): an event is 8 bytes, and everything is a
 * number.
 */
#ifndef DARN_TRACE_TRACE_RAPID_H
#define DARN_TRACE_TRACE_RAPID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/file.h"

#define DARN_RAPID_HEADER 18u
#define DARN_RAPID_EVENT  8u
#define DARN_RAPID_LINE   64u /* characters of an event in the text form, and the 0 behind them */

/* It has no magic: the numbers of its header have to be possible. */
bool darn_rapid_is(const struct darn_trace_file *file);

/* How many events the header promises. */
uint64_t darn_rapid_count(const struct darn_trace_file *file);

/* An event as a line of the text form. The length: 0 for a request for a lock, which says nothing.
 */
size_t darn_rapid_line(const uint8_t bytes[DARN_RAPID_EVENT], char line[DARN_RAPID_LINE]);

#endif
