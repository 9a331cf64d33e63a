#include "trace/packer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/grow.h"

#define LEVEL 1

void darn_packer_open(struct darn_packer *packer, FILE *file)
{
    static const uint8_t nothing[DARN_TRACE_HEADER];

    *packer = (struct darn_packer){.file = file, .bytes = DARN_TRACE_HEADER};
    packer->context = darn_need_memory(ZSTD_createCCtx());
    ZSTD_CCtx_setParameter(packer->context, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(packer->context, ZSTD_c_checksumFlag, 1);
    packer->room = ZSTD_compressBound(DARN_TRACE_MOST);
    packer->packed = darn_need_zeroed(1, packer->room);
    /* Until the real header is written, this is no trace. */
    if (fwrite(nothing, 1, sizeof(nothing), packer->file) != sizeof(nothing))
        packer->error = -errno;
}

static void put(struct darn_packer *packer, const void *bytes, size_t length)
{
    if (packer->error)
        return;
    if (fwrite(bytes, 1, length, packer->file) != length)
        packer->error = errno ? -errno : -EIO;
    packer->bytes += length;
}

void darn_packer_block(struct darn_packer *packer, const struct darn_block_header *header,
                       const uint8_t *payload, size_t length)
{
    struct darn_block_header block = {.magic = DARN_BLOCK_MAGIC,
                                      .type = header->type,
                                      .thread = header->thread,
                                      .sequence = header->sequence,
                                      .room = header->room};
    size_t packed = ZSTD_compress2(packer->context, packer->packed, packer->room, payload, length);

    if (!ZSTD_isError(packed) && packed < length) {
        block.flags = DARN_BLOCK_ZSTD;
        block.unpacked = (uint32_t)length;
        payload = packer->packed;
        length = packed;
    }
    block.capacity = block.used = (uint32_t)length;
    put(packer, &block, sizeof(block));
    put(packer, payload, length);
}

int darn_packer_close(struct darn_packer *packer, const struct darn_trace_header *from)
{
    struct darn_trace_header header = {.magic = DARN_TRACE_MAGIC,
                                       .version = DARN_TRACE_VERSION,
                                       .pid = from->pid,
                                       .packed = 1,
                                       .finished = from->finished,
                                       .lost = from->lost,
                                       .lost_at = from->lost_at,
                                       .why = from->why,
                                       .at_least = from->at_least,
                                       .bytes = packer->bytes};

    if (!packer->error && fseek(packer->file, 0, SEEK_SET))
        packer->error = -errno;
    put(packer, &header, sizeof(header));
    if (fflush(packer->file) && !packer->error)
        packer->error = -errno;
    ZSTD_freeCCtx(packer->context);
    free(packer->packed);
    return packer->error;
}
