/* Packing the trace that a program has left. */
#ifndef DARN_TRACE_PACK_H
#define DARN_TRACE_PACK_H

#include <stddef.h>

/* Replaces the unpacked trace by a packed one; one that is packed already stays as it is. 0, or -1
 * with one line in `error`: the old file is untouched then. */
int darn_trace_pack(const char *path, char *error, size_t error_size);

#endif
