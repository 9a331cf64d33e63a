/*
 * Binary traces. The first byte says how the rest is to be taken: as a file; as the blocks of a
 * file whose header is right; or as payloads, each behind its length, whose headers are right too.
 * So the fuzzer gets to the inner parts without having to find its way through the outer ones.
 */
#include <zstd.h>

#include "trace_image.h"
#include "walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static struct image image;
static struct payload payload;

static void walk_both(const uint8_t *bytes, size_t length)
{
    walk(bytes, length, false);
    walk(bytes, length, true);
}

static void set_packed(void)
{
    struct darn_trace_header header;

    memcpy(&header, image.bytes, sizeof(header));
    header.packed = 1;
    memcpy(image.bytes, &header, sizeof(header));
}

static void append(const void *bytes, size_t length)
{
    memcpy(image.bytes + image.length, bytes, length);
    image.length += length;
}

static void append_packed(uint16_t type, uint32_t thread, uint32_t sequence)
{
    static uint8_t frame[ZSTD_COMPRESSBOUND(DARN_TRACE_PAYLOAD)];
    size_t size = ZSTD_compress(frame, sizeof(frame), payload.bytes, payload.used, 1);
    struct darn_block_header header = {.magic = DARN_BLOCK_MAGIC,
                                       .type = type,
                                       .flags = DARN_BLOCK_ZSTD,
                                       .thread = thread,
                                       .sequence = sequence,
                                       .capacity = (uint32_t)size,
                                       .used = (uint32_t)size,
                                       .unpacked = (uint32_t)payload.used,
                                       .room = (uint32_t)payload.used + 100};

    append(&header, sizeof(header));
    append(frame, size);
    payload.used = 0;
}

/* Length in two bytes, its upper three bits say whose: 0..5 thread, 6 and 7 tables. */
static void walk_payloads(const uint8_t *bytes, size_t length, bool packed)
{
    uint32_t sequences[8] = {0};

    image_start(&image, 1);
    if (packed)
        set_packed();
    while (length > 2) {
        unsigned owner = bytes[1] >> 5 < 6 ? bytes[1] >> 5 : 6;
        size_t used = (size_t)(bytes[1] & 31) << 8 | bytes[0];
        uint16_t type = owner == 6 ? DARN_BLOCK_TABLE : DARN_BLOCK_EVENTS;

        bytes += 2;
        length -= 2;
        used = used < length ? used : length;
        memcpy(payload.bytes, bytes, used);
        payload.used = used;
        if (packed)
            append_packed(type, owner, sequences[owner]++);
        else
            image_block(&image, type, owner, sequences[owner]++, &payload, 7);
        bytes += used;
        length -= used;
    }
    walk_both(image.bytes, image.length);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    uint8_t way = length ? bytes[0] % 5 : 0;

    if (length < 2 || length > 20000)
        return 0;
    bytes++;
    length--;
    if (way == 0) {
        walk_both(bytes, length);
    } else if (way <= 2) {
        image_start(&image, 1);
        if (way == 2)
            set_packed();
        append(bytes, length);
        walk_both(image.bytes, image.length);
    } else {
        walk_payloads(bytes, length, way == 4);
    }
    return 0;
}
