#include "runtime/heal/quarantine.h"

#include <malloc.h>
#include <stdatomic.h>

#include "runtime/os/os.h"

/* A block of the heap, or pages. */
struct piece {
    void *block;
    size_t size;
    void (*give)(void *block);
    int (*unmap)(void *block, size_t size);
};

static struct piece pieces[DARN_QUARANTINE_BLOCKS];
static uint32_t first, count; /* a ring: the oldest, and how many */
static size_t bytes;

/* Protects the ring. Nothing nests inside: what is given back is given back without it. Whoever
 * finds it taken gives its memory back at once: a signal handler may have come while its own thread
 * has it. */
static atomic_flag lock = ATOMIC_FLAG_INIT;

static void give(const struct piece *piece)
{
    if (piece->give)
        piece->give(piece->block);
    else
        piece->unmap(piece->block, piece->size);
}

static bool take_oldest(size_t size, struct piece *piece)
{
    if (count < DARN_QUARANTINE_BLOCKS && bytes + size <= DARN_QUARANTINE_BYTES)
        return false;
    *piece = pieces[first];
    first = (first + 1) % DARN_QUARANTINE_BLOCKS;
    count--;
    bytes -= piece->size;
    return true;
}

static bool take_lock(void)
{
    for (int tries = 0; tries < 64; tries++) {
        if (!atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
            return true;
        darn_os_yield();
    }
    return false;
}

/* Makes room piece by piece, then adds. */
static bool keep(const struct piece *piece)
{
    struct piece oldest;

    if (piece->size > DARN_QUARANTINE_BYTES)
        return false;
    while (take_lock()) {
        bool is_full = take_oldest(piece->size, &oldest);

        if (!is_full) {
            pieces[(first + count++) % DARN_QUARANTINE_BLOCKS] = *piece;
            bytes += piece->size;
        }
        atomic_flag_clear_explicit(&lock, memory_order_release);
        if (!is_full)
            return true;
        give(&oldest);
    }
    return false;
}

bool darn_quarantine_block(void *block, void (*give_back)(void *block))
{
    const struct piece piece = {block, malloc_usable_size(block), give_back, NULL};

    return give_back && keep(&piece);
}

bool darn_quarantine_pages(void *block, size_t size, int (*give_back)(void *block, size_t size))
{
    const struct piece piece = {block, size, NULL, give_back};

    return keep(&piece);
}

void darn_quarantine_after_fork(void)
{
    atomic_flag_clear(&lock);
}
