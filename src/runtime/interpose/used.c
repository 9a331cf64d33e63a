#include "runtime/interpose/used.h"

uintptr_t darn_used_file_of(int fd)
{
    uintptr_t file = fd < 0 ? 0 : darn_order_file(fd);

    return file == darn_order_closed_file(fd) ? 0 : file;
}

void darn_used_object(struct darn_thread *thread, uintptr_t address, enum darn_touch_object object,
                      const void *frame)
{
    struct darn_slot *slot = darn_turn_mine(thread);

    if (slot)
        darn_turn_use(slot, address, object, frame);
    else
        darn_use_object(thread, address, object, frame);
}

void darn_used_file(struct darn_thread *thread, int fd, const void *frame)
{
    struct darn_slot *slot = darn_turn_mine(thread);

    if (slot)
        darn_turn_use(slot, darn_used_file_of(fd), DARN_OBJECT_DESCRIPTOR, frame);
    else
        darn_use_file(thread, fd, frame);
}

void darn_ended_object(struct darn_thread *thread, uintptr_t address, uint64_t size,
                       enum darn_touch_object object, const void *frame)
{
    struct darn_slot *slot = darn_turn_mine(thread);

    if (slot)
        darn_turn_end_object(slot, address, size, object, frame);
    else
        darn_end_object(thread, address, size, object, frame);
}

void darn_ended_file(struct darn_thread *thread, int fd, const void *frame)
{
    struct darn_slot *slot = darn_turn_mine(thread);

    if (slot)
        darn_turn_end_object(slot, darn_used_file_of(fd), 1, DARN_OBJECT_DESCRIPTOR, frame);
    else
        darn_end_file(thread, fd, frame);
}
