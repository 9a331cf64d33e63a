/* The payload of a block, unpacked where it is packed. */
#ifndef DARN_TRACE_UNPACK_H
#define DARN_TRACE_UNPACK_H

#include <stddef.h>
#include <stdint.h>

#include "trace/damage.h"
#include "trace/layout.h"

struct darn_payload {
    const uint8_t *bytes;
    size_t length;
    uint64_t at;     /* where it is in the file */
    size_t stored;   /* bytes there */
    unsigned step;   /* bytes of the file for each byte: 1, or 0 when it was packed */
    uint8_t *buffer; /* what it was unpacked to, or NULL */
    size_t room;
};

struct darn_unpack {
    const struct darn_layout *layout;
    void *context; /* of zstd; NULL until it is needed */
};

void darn_unpack_start(struct darn_unpack *unpack, const struct darn_layout *layout);
void darn_unpack_end(struct darn_unpack *unpack);

/* A payload must be {0}, or one that was loaded before. 0, or -1 for damage. */
int darn_payload_load(struct darn_payload *payload, struct darn_unpack *unpack, size_t block,
                      struct darn_damage *damage);
/* Gives the memory back. */
void darn_payload_drop(struct darn_payload *payload);

#endif
