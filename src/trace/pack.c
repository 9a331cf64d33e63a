#include "trace/pack.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/damage.h"
#include "trace/file.h"
#include "trace/layout.h"
#include "trace/packer.h"

#define PATH_ROOM 4200

static int check_kind(const struct darn_trace_file *file, struct darn_trace_header *header,
                      struct darn_damage *damage)
{
    size_t length = strlen(DARN_TRACE_MAGIC);

    if (file->descriptor < 0 || file->length < length ||
        memcmp(file->bytes, DARN_TRACE_MAGIC, length) != 0)
        return darn_damage(damage, 0, "this is no trace of a program");
    return darn_layout_header(file, header, damage);
}

/* Block by block, in the order of the file: each is coded on its own. */
static int copy_blocks(const struct darn_trace_file *file, struct darn_packer *packer,
                       struct darn_damage *damage)
{
    uint64_t at = DARN_TRACE_HEADER, next;
    struct darn_block_header block;
    int result;

    while ((result = darn_layout_block(file, false, &at, &next, &block, damage)) > 0) {
        const uint8_t *payload = file->bytes + at + sizeof(block);

        block.room = block.capacity;
        darn_packer_block(packer, &block, payload, block.used);
        darn_trace_file_forget(file, at, next < file->length ? next : file->length);
        at = next;
    }
    return result;
}

/* 0, or -1: what was written is useless then. */
static int write_packed(const struct darn_trace_file *file, const struct darn_trace_header *header,
                        const char *to, struct darn_damage *damage, int *error)
{
    struct darn_packer packer;
    int damaged;

    *error = darn_packer_open(&packer, to);
    if (*error)
        return -1;
    damaged = copy_blocks(file, &packer, damage);
    *error = darn_packer_close(&packer, header);
    return damaged || *error ? -1 : 0;
}

static int replace(const struct darn_trace_file *file, const struct darn_trace_header *header,
                   const char *path, char *error, size_t error_size)
{
    struct darn_damage damage = {.found = false};
    char to[PATH_ROOM];
    int result;

    if (snprintf(to, sizeof(to), "%s.packing", path) >= (int)sizeof(to)) {
        snprintf(error, error_size, "%s: the name is too long", path);
        return -1;
    }
    if (write_packed(file, header, to, &damage, &result) == 0 && rename(to, path) == 0)
        return 0;
    if (damage.found)
        snprintf(error, error_size, "%s: byte %" PRIu64 ": %s", path, damage.at, damage.what);
    else if (result)
        snprintf(error, error_size, "%s: cannot be written: %s", to, strerror(-result));
    else
        snprintf(error, error_size, "%s: cannot be replaced: %m", path);
    (void)unlink(to);
    return -1;
}

int darn_trace_pack(const char *path, char *error, size_t error_size)
{
    struct darn_damage damage = {.found = false};
    struct darn_trace_header header;
    struct darn_trace_file file;
    char *target = realpath(path, NULL); /* a link stays one */
    int result = target ? darn_trace_file_open(&file, target) : -errno;

    if (result) {
        snprintf(error, error_size, "%s: cannot be read: %s", path, strerror(-result));
        free(target);
        return -1;
    }
    result = check_kind(&file, &header, &damage);
    if (result)
        snprintf(error, error_size, "%s: byte %" PRIu64 ": %s", path, damage.at, damage.what);
    else if (!header.packed)
        result = replace(&file, &header, target, error, error_size);
    darn_trace_file_close(&file);
    free(target);
    return result;
}
