/*
 * How events are written into a block: one byte for the kind and what is present, then varints.
 * Addresses and stamps are differences from the last ones in the same block, so that each block can
 * be read on its own.
 *
 *   byte 0       kind (5 bits), HAS_FLAGS, HAS_STAMP, HAS_EXTRA
 *   flags        if HAS_FLAGS: varint of flags and lock kind
 *   stamp        if HAS_STAMP: varint, difference from the last stamp of the block
 *   where        varint: a DARN_RECORD_WHERE id, or 0
 *   size         accesses and POINTER: varint
 *   target       varint of the zigzag difference from the last target
 *   extra        if HAS_EXTRA: varint
 *
 * The writer is inlined into the hooks of the runtime, and must not allocate or fail: the caller
 * makes sure that there is room for DARN_CODEC_MOST bytes.
 */
#ifndef DARN_TRACE_CODEC_H
#define DARN_TRACE_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"

/* The most bytes that one event takes. */
#define DARN_CODEC_MOST 64

enum {
    DARN_CODEC_KIND = 0x1f,
    DARN_CODEC_HAS_FLAGS = 0x20,
    DARN_CODEC_HAS_STAMP = 0x40,
    DARN_CODEC_HAS_EXTRA = 0x80,
};

static_assert(DARN_EVENT_KINDS <= DARN_CODEC_KIND + 1, "the kind has five bits");

/* What the next event of a block is told from. A zeroed struct stands for the start of a block. */
struct darn_codec {
    uint64_t target;
    uint64_t stamp;
};

/* An event as it is in a block: `site` and `stack` are not known yet, but `where` is. */
struct darn_coded {
    struct darn_event event; /* without thread, site and stack */
    uint32_t where;
    uint64_t stamp; /* 0: none */
};

static inline uint8_t *darn_put_varint(uint8_t *to, uint64_t value)
{
    while (value >= 0x80) {
        *to++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *to++ = (uint8_t)value;
    return to;
}

/* NULL when the bytes end too early or the number has more than 64 bits. */
static inline const uint8_t *darn_get_varint(const uint8_t *from, const uint8_t *end,
                                             uint64_t *value)
{
    uint64_t result = 0;

    for (unsigned shift = 0; shift < 64 && from < end; shift += 7) {
        uint8_t byte = *from++;

        result |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            *value = result;
            return shift == 63 && byte > 1 ? NULL : from;
        }
    }
    return NULL;
}

static inline uint64_t darn_zigzag(uint64_t difference)
{
    return difference << 1 ^ (uint64_t)-(int64_t)(difference >> 63);
}

static inline uint64_t darn_unzigzag(uint64_t value)
{
    return value >> 1 ^ (uint64_t)-(int64_t)(value & 1);
}

/* Returns the end of what was written. */
static inline uint8_t *darn_codec_put(struct darn_codec *codec, uint8_t *to,
                                      const struct darn_coded *coded)
{
    const struct darn_event *event = &coded->event;
    uint8_t *head = to++;

    *head = event->kind;
    if (event->flags || event->lock) {
        *head |= DARN_CODEC_HAS_FLAGS;
        to = darn_put_varint(to, (uint64_t)event->flags << 2 | (event->lock & 3));
    }
    if (coded->stamp) {
        *head |= DARN_CODEC_HAS_STAMP;
        to = darn_put_varint(to, coded->stamp - codec->stamp);
        codec->stamp = coded->stamp;
    }
    to = darn_put_varint(to, coded->where);
    if (darn_event_has_size(event))
        to = darn_put_varint(to, event->size);
    to = darn_put_varint(to, darn_zigzag(event->target - codec->target));
    codec->target = event->target;
    if (event->extra) {
        *head |= DARN_CODEC_HAS_EXTRA;
        to = darn_put_varint(to, event->extra);
    }
    return to;
}

/* Reads one event; the end of what was read, or NULL when the bytes make no sense. */
const uint8_t *darn_codec_get(struct darn_codec *codec, const uint8_t *from, const uint8_t *end,
                              struct darn_coded *coded);

#endif
