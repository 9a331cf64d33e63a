#include "engine/common/engine_access.h"

#include "engine/common/shadow.h"

/*
 * The shape, from the lowest bit on:
 *   2 sort (enum darn_access_sort)
 *   1 whether it is an update: its sort says that it writes
 *   5 flags of the event, from DARN_EVENT_ATOMIC to DARN_EVENT_SYNC
 *  12 size; the largest stands for all that do not fit; 0: no access, but a use or an end, with the
 *     object where the flags are
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

struct darn_access darn_access_pack_call(const struct darn_event *event, darn_epoch epoch,
                                         uint32_t holding)
{
    uint32_t sort = darn_event_ends(event) ? DARN_PLAIN_WRITE : DARN_SYNC_READ;
    uint32_t shape = sort | (uint32_t)darn_event_object(event) << 3;

    return (struct darn_access){epoch, event->site, event->stack, holding, shape};
}

/* The end of a block, and of what goes with its memory, is a free. */
static struct darn_event call_event(const struct darn_access *access, uint64_t address)
{
    enum darn_event_object object = darn_access_object(access);
    bool is_memory = object == DARN_EVENT_NO_OBJECT || object >= DARN_EVENT_IS_STREAM;
    struct darn_event event = {.target = address,
                               .site = access->site,
                               .stack = access->stack,
                               .flags = darn_event_about(object),
                               .kind = is_memory ? DARN_EVENT_FREE : DARN_EVENT_DESTROY};

    if (darn_access_sort_of(access) == DARN_SYNC_READ)
        event.kind = DARN_EVENT_USE;
    return event;
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

    if (!size)
        return call_event(access, address);
    if (!back)
        event.target = address & ~(uint64_t)(size - 1);
    else if (back < LARGEST)
        event.target = (address | (DARN_SHADOW_GRANULE - 1)) + 1 - back;
    else
        event.target = address;
    return event;
}
