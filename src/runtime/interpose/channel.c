#include "runtime/interpose/channel.h"

#include <stdatomic.h>
#include <unistd.h>

#include "base/hash.h"
#include "runtime/order/ends.h"
#include "runtime/os/os.h"

/* All by hash: of two that share a place, what is known of one holds for the other as well. That
 * is more order, never less. */
#define PLACES 1024

static uint32_t place_of(uint64_t file)
{
    return darn_spread(file) % PLACES;
}

static _Atomic uint8_t polled[PLACES];

void darn_channel_poll(uint64_t channel, unsigned how)
{
    atomic_fetch_or(&polled[place_of(channel)], (uint8_t)how);
}

bool darn_channel_is_polled(uint64_t channel, unsigned how)
{
    return atomic_load_explicit(&polled[place_of(channel)], memory_order_relaxed) & how;
}

/*
 * A pipe holds a page at least, whatever it was asked to hold. Of anything else the kernel counts
 * more than what is sent, and the least it can be asked for is some messages. Who has sent more
 * than that in all has only room because somebody has read, whether it had to wait or not.
 */
#define ROOM    4096
#define MESSAGE 1024
static _Atomic uint32_t sent[PLACES];

bool darn_channel_fills(uint64_t channel, uint64_t size)
{
    _Atomic uint32_t *all = &sent[place_of(channel)];
    uint64_t bytes = size + (darn_os_is_pipe(channel) ? 0 : MESSAGE);

    if (atomic_load_explicit(all, memory_order_relaxed) <= ROOM)
        atomic_fetch_add(all, (uint32_t)(bytes < DARN_CHANNEL_ANY ? bytes : DARN_CHANNEL_ANY));
    return darn_channel_may_be_full(channel);
}

/* What other processes write, and what they were told by ours, nobody sees. */
bool darn_channel_may_be_full(uint64_t channel)
{
    return darn_order_has_process() ||
           atomic_load_explicit(&sent[place_of(channel)], memory_order_relaxed) > ROOM;
}

static _Atomic uint8_t written[PLACES];
static volatile bool has_written;

static void write_file(uint64_t file)
{
    _Atomic uint8_t *at = &written[place_of(file)];

    if (!atomic_load_explicit(at, memory_order_relaxed))
        atomic_store(at, 1);
}

/* The output may be an ordinary file, too: it was opened by somebody else. */
static void write_first(void)
{
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
        bool is_channel;
        uint64_t file = darn_os_file(fd, &is_channel);

        if (file && !is_channel)
            write_file(file);
    }
    has_written = true;
}

void darn_channel_write(uint64_t file)
{
    if (!has_written)
        write_first();
    write_file(file);
}

bool darn_channel_is_written(uint64_t file)
{
    if (!has_written)
        write_first();
    return atomic_load_explicit(&written[place_of(file)], memory_order_relaxed);
}

/* Which file a stream reads. It is asked for at each character. */
static struct {
    const FILE *volatile stream;
    volatile uint64_t file;
} streams[PLACES];

void darn_channel_stream(const FILE *stream, uint64_t file)
{
    uint32_t place = place_of((uintptr_t)stream);

    streams[place].stream = NULL;
    streams[place].file = file;
    if (file)
        streams[place].stream = stream;
}

/* One of which nothing is known any more is looked up again. */
bool darn_channel_stream_is_written(FILE *stream)
{
    uint32_t place = place_of((uintptr_t)stream);
    uint64_t file = streams[place].file;
    bool is_channel;

    if (streams[place].stream != stream || streams[place].file != file) {
        file = darn_os_file(fileno(stream), &is_channel);
        darn_channel_stream(stream, file);
    }
    return file && darn_channel_is_written(file);
}
