#include "runtime/record/tracefile.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "base/options.h"
#include "runtime/os/os.h"

/* Less than this is not worth it. */
#define SMALLEST (2 * DARN_TRACE_BLOCK)

static char file_path[DARN_OPTIONS_PATH];
static uint8_t *file;
static uint64_t file_size;
static _Atomic uint64_t next = DARN_TRACE_HEADER;
static _Atomic bool full, is_over;                    /* what comes after the end is not missing */
static enum darn_trace_why bound = DARN_WHY_MAX_SIZE; /* why the file is not larger */

bool darn_tracefile_may_take(uint64_t size)
{
    return size <= darn_os_memory_limit() / 32;
}

static struct darn_trace_header *header(void)
{
    return (struct darn_trace_header *)file;
}

/* The file or, without a path, memory. NULL and an error when there is none. */
static void *take(const char *path, uint64_t size, int *error)
{
    *error = -ENOMEM;
    if (!darn_tracefile_may_take(size))
        return NULL;
    return path ? darn_os_map_new_file(path, size, error) : darn_os_allocate(size);
}

/* As much of `size` as limits on files and memory allow: recording less is better than nothing. */
static void *take_most(const char *path, uint64_t *size, int *error)
{
    uint64_t most = darn_os_file_limit();
    void *at = NULL;

    *error = -EFBIG;
    if (path && *size > most) {
        *size = most;
        bound = DARN_WHY_FILE_LIMIT;
    }
    for (; *size >= SMALLEST; *size /= 2) {
        *size &= ~(uint64_t)(DARN_TRACE_PAGE - 1);
        at = take(path, *size, error);
        if (at || (*error != -ENOMEM && *error != -EFBIG))
            break;
        bound = *error == -ENOMEM ? DARN_WHY_MEMORY : DARN_WHY_FILE_LIMIT;
    }
    return at;
}

int darn_tracefile_open(const char *path, uint64_t size)
{
    int error;

    if (!path)
        bound = DARN_WHY_UNKNOWN; /* its size is our own choice */
    file = take_most(path, &size, &error);
    if (!file)
        return error;
    if (darn_os_populate(file, DARN_TRACE_HEADER)) {
        full = true;
        return path ? -ENOSPC : -ENOMEM;
    }
    if (path)
        strncpy(file_path, path, sizeof(file_path) - 1);
    file_size = size;
    memcpy(header()->magic, DARN_TRACE_MAGIC, sizeof(header()->magic));
    header()->version = DARN_TRACE_VERSION;
    header()->pid = (uint32_t)darn_os_process_id();
    return 0;
}

bool darn_tracefile_is_ours(const char *path)
{
    struct darn_trace_header old = {.pid = 0};

    return darn_os_read_file(path, (char *)&old, sizeof(old)) == sizeof(old) &&
           old.pid == (uint32_t)darn_os_process_id();
}

/* For good: a trace with holes would be worse than a short one. NULL, for there is no block. */
static struct darn_block_header *end(enum darn_trace_why why)
{
    uint32_t none = DARN_WHY_UNKNOWN;

    __atomic_compare_exchange_n(&header()->why, &none, why, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    full = true;
    return NULL;
}

struct darn_block_header *darn_tracefile_block(enum darn_block_type type, uint32_t thread,
                                               uint32_t sequence, uint32_t pages)
{
    uint64_t size = (uint64_t)pages * DARN_TRACE_PAGE;
    struct darn_block_header *block;
    uint64_t at;

    if (!file || full)
        return NULL;
    at = atomic_fetch_add(&next, size);
    if (at + size > file_size)
        return end(bound);
    if (darn_os_populate(file + at, size))
        return end(file_path[0] ? DARN_WHY_DISK : DARN_WHY_MEMORY);
    block = (struct darn_block_header *)(file + at);
    block->type = (uint16_t)type;
    block->thread = thread;
    block->sequence = sequence;
    block->capacity = (uint32_t)(size - sizeof(*block));
    __atomic_store_n(&block->magic, DARN_BLOCK_MAGIC, __ATOMIC_RELEASE);
    return block;
}

bool darn_tracefile_is_ahead(void)
{
    uint64_t ahead = __atomic_load_n(&header()->ahead, __ATOMIC_RELAXED);

    return ahead && !full &&
           atomic_load_explicit(&next, memory_order_relaxed) -
                   __atomic_load_n(&header()->taken, __ATOMIC_RELAXED) >
               ahead;
}

void darn_tracefile_lost(uint64_t count)
{
    if (file && !is_over)
        __atomic_fetch_add(&header()->lost, count, __ATOMIC_RELAXED);
}

void darn_tracefile_lost_from(uint64_t stamp)
{
    uint64_t before = file && !is_over ? __atomic_load_n(&header()->lost_at, __ATOMIC_RELAXED) : 1;

    while ((!before || before > stamp) &&
           !__atomic_compare_exchange_n(&header()->lost_at, &before, stamp, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
        ;
}

void darn_tracefile_lost_thread(uint64_t stamp)
{
    if (!file)
        return;
    (void)end(DARN_WHY_MEMORY);
    header()->at_least = 1;
    darn_tracefile_lost(1);
    darn_tracefile_lost_from(stamp);
}

/* Other threads may still be about to write into a block that they got a moment ago. */
#define MARGIN (64 * DARN_TRACE_BLOCK)

void darn_tracefile_finish(void)
{
    uint64_t used;

    if (!file)
        return;
    is_over = true;
    full = true;
    used = atomic_load(&next) + MARGIN;
    if (used < file_size && (!file_path[0] || darn_os_truncate(file_path, used) == 0))
        file_size = used;
    header()->bytes = file_size;
    __atomic_store_n(&header()->finished, 1, __ATOMIC_RELEASE);
}

const char *darn_tracefile_bytes(size_t *length)
{
    *length = file_size;
    return (const char *)file;
}
