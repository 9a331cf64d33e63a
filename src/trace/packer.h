/*
 * Writing a packed trace file: blocks one right behind the other, compressed where that makes them
 * smaller (format.h).
 */
#ifndef DARN_TRACE_PACKER_H
#define DARN_TRACE_PACKER_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "trace/format.h"

struct darn_packer {
    FILE *file;
    void *context; /* of zstd */
    uint8_t *packed;
    size_t room;
    uint64_t bytes; /* written so far */
    int error;      /* the first one, a negative errno; nothing is written after it */
};

/* Begins a trace in an empty file, which stays the caller's. */
void darn_packer_open(struct darn_packer *packer, FILE *file);

/* Adds a block; of the header, type, thread, sequence and room are used. An error is kept for the
 * end. */
void darn_packer_block(struct darn_packer *packer, const struct darn_block_header *header,
                       const uint8_t *payload, size_t length);

/* Writes the file header, of which pid, finished and lost are used. 0, or the first error. */
int darn_packer_close(struct darn_packer *packer, const struct darn_trace_header *header);

#endif
