/*
 * What is known of the files by which threads tell each other something. A *channel* is a pipe, a
 * socket or something of that kind; ordinary files have numbers, too, that are none of channels.
 */
#ifndef DARN_RUNTIME_CHANNEL_H
#define DARN_RUNTIME_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Whether an epoll waits for it; and also for when there is room in it. */
enum darn_channel_poll { DARN_CHANNEL_POLLED = 1, DARN_CHANNEL_POLLED_FOR_ROOM = 2 };
void darn_channel_poll(uint64_t channel, unsigned how);
bool darn_channel_is_polled(uint64_t channel, unsigned how);

/* What who writes waits for, or could have: that somebody reads. No address of the program. */
static inline uint64_t darn_channel_room(uint64_t channel)
{
    return channel | UINT64_C(1) << 57;
}

/* So many bytes are written. Whether there may have been more than there is room for, without
 * anybody who reads. Also of those that are not known: */
#define DARN_CHANNEL_ANY UINT32_C(0x10000)
bool darn_channel_fills(uint64_t channel, uint64_t size);
bool darn_channel_may_be_full(uint64_t channel);

/* Somebody may write to the ordinary file from now on. */
void darn_channel_write(uint64_t file);
bool darn_channel_is_written(uint64_t file);

/* The stream has been opened, is about to be closed, or was read. */
void darn_channel_stream(const FILE *stream, uint64_t file);
bool darn_channel_stream_is_written(FILE *stream);

#endif
