#include "trace/unpack.h"

#include <stdlib.h>
#include <zstd.h>

#include "base/grow.h"

void darn_unpack_start(struct darn_unpack *unpack, const struct darn_layout *layout)
{
    unpack->layout = layout;
    unpack->context = NULL;
}

void darn_unpack_end(struct darn_unpack *unpack)
{
    ZSTD_freeDCtx(unpack->context);
    unpack->context = NULL;
}

static int unpack_block(struct darn_payload *payload, struct darn_unpack *unpack,
                        const struct darn_block_header *header, const uint8_t *bytes,
                        struct darn_damage *damage)
{
    size_t got;

    if (!unpack->context)
        unpack->context = darn_need_memory(ZSTD_createDCtx());
    payload->buffer = darn_grow(payload->buffer, &payload->room, header->unpacked, 1);
    got = ZSTD_decompressDCtx(unpack->context, payload->buffer, header->unpacked, bytes,
                              header->used);
    if (ZSTD_isError(got))
        return darn_damage(damage, payload->at, "the block cannot be unpacked: %s",
                           ZSTD_getErrorName(got));
    if (got != header->unpacked)
        return darn_damage(damage, payload->at, "the block has %zu bytes when unpacked, not %u",
                           got, header->unpacked);
    payload->bytes = payload->buffer;
    payload->length = got;
    payload->step = 0;
    return 0;
}

int darn_payload_load(struct darn_payload *payload, struct darn_unpack *unpack, size_t block,
                      struct darn_damage *damage)
{
    const struct darn_layout *layout = unpack->layout;
    struct darn_block_header header = darn_layout_header_of(layout, block);
    const uint8_t *bytes;

    payload->stored = header.used;
    payload->at = layout->blocks[block].at + sizeof(header);
    bytes = layout->file->bytes + payload->at;
    if (header.flags & DARN_BLOCK_ZSTD)
        return unpack_block(payload, unpack, &header, bytes, damage);
    payload->bytes = bytes;
    payload->stored = payload->length = darn_layout_used(layout, block);
    payload->step = 1;
    return 0;
}

void darn_payload_drop(struct darn_payload *payload)
{
    free(payload->buffer);
    *payload = (struct darn_payload){0};
}
