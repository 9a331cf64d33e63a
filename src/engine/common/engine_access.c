#include "engine/common/engine_access.h"

#include "engine/common/shadow.h"

/*
 * The shape, from the lowest bit on:
 *   2 sort (enum darn_access_sort)
 *   1 whether it is an update: its sort says that it writes
 *   5 flags of the event, from DARN_EVENT_ATOMIC to DARN_EVENT_SYNC
 *  12 size; the largest stands for all that do not fit
 *  12 where the access began: 0 is the last multiple of its size; otherwise how far before the end
 *     of the granule; the largest: not known, for ranges, whose cells may be pages
 *
 * That an access begins at a multiple of its size is the rule; it is kept apart from the distance
 * so that the bytes of an array that is filled by one instruction have equal shapes.
 */
#define FLAGS_MASK 31u
#define UPDATE     4u
#define LARGEST    0xfffu

static_assert((DARN_EVENT_ATOMIC | DARN_EVENT_VOLATILE | DARN_EVENT_ACQUIRES | DARN_EVENT_RELEASES |
               DARN_EVENT_SYNC) == FLAGS_MASK,
              "five flags are kept");

static bool is_aligned(const struct darn_event *event, uint64_t address)
{
    uint64_t size = event->size;

    return size && !(size & (size - 1)) && (address & ~(size - 1)) == event->target;
}

struct darn_access darn_access_pack(const struct darn_event *event, darn_epoch epoch,
                                    uint32_t holding, bool is_sync, uint64_t address)
{
    uint64_t back = 0;
    uint32_t size = event->size < LARGEST ? event->size : LARGEST;
    uint32_t shape = darn_access_sort(darn_event_writes(event), is_sync);

    if (size == LARGEST || !is_aligned(event, address)) {
        back = (address | (DARN_SHADOW_GRANULE - 1)) + 1 - event->target;
        if (event->size >= DARN_SHADOW_PAGE)
            back = LARGEST;
    }
    if (event->kind == DARN_EVENT_UPDATE)
        shape |= UPDATE;
    shape |= (event->flags & FLAGS_MASK) << 3 | size << 8 | (uint32_t)back << 20;
    return (struct darn_access){epoch, event->site, event->stack, holding, shape};
}

struct darn_event darn_access_event(const struct darn_access *access, uint64_t address)
{
    uint32_t size = access->shape >> 8 & LARGEST, back = access->shape >> 20;
    struct darn_event event = {
        .size = size,
        .site = access->site,
        .stack = access->stack,
        .flags = access->shape >> 3 & FLAGS_MASK,
        .kind = access->shape & UPDATE ? DARN_EVENT_UPDATE
                : access->shape & 1    ? DARN_EVENT_WRITE
                                       : DARN_EVENT_READ,
    };

    if (!back)
        event.target = address & ~(uint64_t)(size - 1);
    else if (back < LARGEST)
        event.target = (address | (DARN_SHADOW_GRANULE - 1)) + 1 - back;
    else
        event.target = address;
    return event;
}
