#include "trace/pack.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/draft.h"
#include "trace/damage.h"
#include "trace/file.h"
#include "trace/layout.h"
#include "trace/packer.h"

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
static void copy_blocks(const struct darn_trace_file *file, struct darn_packer *packer,
                        struct darn_damage *damage)
{
    uint64_t at = DARN_TRACE_HEADER, next;
    struct darn_block_header block;

    while (darn_layout_block(file, false, &at, &next, &block, damage) > 0) {
        const uint8_t *payload = file->bytes + at + sizeof(block);

        block.room = block.capacity;
        darn_packer_block(packer, &block, payload, block.used);
        darn_trace_file_forget(file, at, next < file->length ? next : file->length);
        at = next;
    }
}

/* 0, or a negative errno; with damage, what was written is useless. */
static int write_packed(const struct darn_trace_file *file, const struct darn_trace_header *header,
                        FILE *to, struct darn_damage *damage)
{
    struct darn_packer packer;

    darn_packer_open(&packer, to);
    copy_blocks(file, &packer, damage);
    return darn_packer_close(&packer, header);
}

static int replace(const struct darn_trace_file *file, const struct darn_trace_header *header,
                   const char *path, char *error, size_t error_size)
{
    struct darn_damage damage = {.found = false};
    struct darn_draft draft;
    int result = darn_draft_open(&draft, path, false);

    if (!result) {
        result = write_packed(file, header, draft.file, &damage);
        result = darn_draft_finish(&draft, damage.found ? -EINVAL : result);
    }
    if (damage.found)
        snprintf(error, error_size, "%s: byte %" PRIu64 ": %s", path, damage.at, damage.what);
    else if (result)
        snprintf(error, error_size, "%s: cannot be packed: %s", path, strerror(-result));
    return result ? -1 : 0;
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
