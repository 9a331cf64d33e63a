#include "runtime/tracefile.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "base/options.h"
#include "runtime/os.h"

static char file_path[DARN_OPTIONS_PATH];
static uint8_t *file;
static uint64_t file_size;
static _Atomic uint64_t next = DARN_TRACE_HEADER;
static _Atomic bool full;

static struct darn_trace_header *header(void)
{
    return (struct darn_trace_header *)file;
}

/* A limit on address space or file size shall not keep us from recording less. */
static void *map(const char *path, uint64_t *size, int *error)
{
    void *at = NULL;

    for (; !at && *size >= 2 * DARN_TRACE_BLOCK; *size /= 2) {
        *size &= ~(uint64_t)(DARN_TRACE_PAGE - 1);
        at = darn_os_map_new_file(path, *size, error);
        if (at || *error == -17 /* EEXIST */ || *error == -2 /* ENOENT */ || *error == -13)
            break;
    }
    return at;
}

int darn_tracefile_open(const char *path, uint64_t size)
{
    uint64_t limit = darn_os_file_limit();
    int error = 0;

    if (path && size > limit)
        size = limit; /* more would end the program by a signal */
    file = path ? map(path, &size, &error) : darn_os_allocate(size);
    if (!file)
        return error ? error : -12;
    if (darn_os_populate(file, DARN_TRACE_HEADER)) {
        full = true;
        return -28; /* ENOSPC */
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

struct darn_block_header *darn_tracefile_block(enum darn_block_type type, uint32_t thread,
                                               uint32_t sequence, uint32_t pages)
{
    uint64_t size = (uint64_t)pages * DARN_TRACE_PAGE;
    struct darn_block_header *block;
    uint64_t at;

    if (!file || full)
        return NULL;
    at = atomic_fetch_add(&next, size);
    if (at + size > file_size || darn_os_populate(file + at, size)) {
        full = true; /* for good: a trace with holes would be worse than a short one */
        return NULL;
    }
    block = (struct darn_block_header *)(file + at);
    block->type = (uint16_t)type;
    block->thread = thread;
    block->sequence = sequence;
    block->capacity = (uint32_t)(size - sizeof(*block));
    __atomic_store_n(&block->magic, DARN_BLOCK_MAGIC, __ATOMIC_RELEASE);
    return block;
}

void darn_tracefile_lost(void)
{
    if (file)
        __atomic_fetch_add(&header()->lost, 1, __ATOMIC_RELAXED);
}

/* Other threads may still be about to write into a block that they got a moment ago. */
#define MARGIN (64 * DARN_TRACE_BLOCK)

void darn_tracefile_finish(void)
{
    uint64_t used;

    if (!file)
        return;
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
