#include "trace/codec.h"

#include "trace/format.h"

#define FLAGS_KNOWN 0x3fffu

/* Nearly every number of an event has one byte. */
static inline const uint8_t *get(const uint8_t *from, const uint8_t *end, uint64_t *value)
{
    if (from < end && *from < 0x80) {
        *value = *from;
        return from + 1;
    }
    return darn_get_varint(from, end, value);
}

static inline const uint8_t *get_flags(const uint8_t *from, const uint8_t *end,
                                       struct darn_event *event)
{
    uint64_t value;

    from = get(from, end, &value);
    if (!from || value >> 2 > FLAGS_KNOWN)
        return NULL;
    event->flags = (uint16_t)(value >> 2);
    event->lock = value & 3;
    return from;
}

/* Stamps never go down. */
static inline const uint8_t *get_stamp(struct darn_codec *codec, const uint8_t *from,
                                       const uint8_t *end, uint64_t *stamp)
{
    uint64_t difference;

    from = get(from, end, &difference);
    if (!from || __builtin_add_overflow(codec->stamp, difference, stamp) || !*stamp)
        return NULL;
    codec->stamp = *stamp;
    return from;
}

static inline const uint8_t *get_small(const uint8_t *from, const uint8_t *end, uint32_t *number)
{
    uint64_t value;

    from = get(from, end, &value);
    if (!from || value > UINT32_MAX)
        return NULL;
    *number = (uint32_t)value;
    return from;
}

/* Numbers that tools would have to believe: an access ends within the address space, and there are
 * not more threads than they can have tables for. */
static inline bool is_possible(const struct darn_event *event)
{
    if (event->kind >= DARN_EVENT_FORK && event->kind <= DARN_EVENT_START)
        return event->target < DARN_TRACE_THREADS;
    return event->target <= UINT64_MAX - event->size;
}

const uint8_t *darn_codec_get(struct darn_codec *codec, const uint8_t *from, const uint8_t *end,
                              struct darn_coded *coded)
{
    struct darn_event *event = &coded->event;
    uint64_t value;
    uint8_t head;

    if (from >= end)
        return NULL;
    head = *from++;
    *event = (struct darn_event){.kind = head & DARN_CODEC_KIND};
    coded->stamp = 0;
    if (event->kind == DARN_EVENT_NONE || event->kind >= DARN_EVENT_KINDS)
        return NULL;
    if (head & DARN_CODEC_HAS_FLAGS && !(from = get_flags(from, end, event)))
        return NULL;
    if (head & DARN_CODEC_HAS_STAMP && !(from = get_stamp(codec, from, end, &coded->stamp)))
        return NULL;
    if (!(from = get_small(from, end, &coded->where)))
        return NULL;
    if (darn_event_has_size(event) && !(from = get_small(from, end, &event->size)))
        return NULL;
    if (!(from = get(from, end, &value)))
        return NULL;
    event->target = codec->target + darn_unzigzag(value);
    codec->target = event->target;
    if (head & DARN_CODEC_HAS_EXTRA && !(from = get(from, end, &event->extra)))
        return NULL;
    return is_possible(event) ? from : NULL;
}
