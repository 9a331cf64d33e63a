/*
 * Trace files as a program leaves them, built in memory byte by byte, for tests and as seeds of the
 * fuzzers. Blocks are as small as what is in them.
 */
#ifndef DARN_TESTS_TRACE_IMAGE_H
#define DARN_TESTS_TRACE_IMAGE_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "trace/codec.h"
#include "trace/format.h"

struct image {
    size_t length;
    uint8_t bytes[1 << 19];
};

/* A payload that is being written. */
struct payload {
    struct darn_codec codec;
    size_t used;
    uint8_t bytes[DARN_TRACE_PAYLOAD];
};

static inline void image_start(struct image *image, uint32_t finished)
{
    struct darn_trace_header header = {.magic = DARN_TRACE_MAGIC,
                                       .version = DARN_TRACE_VERSION,
                                       .pid = 4711,
                                       .finished = finished};

    memset(image->bytes, 0, DARN_TRACE_HEADER);
    memcpy(image->bytes, &header, sizeof(header));
    image->length = DARN_TRACE_HEADER;
}

/* `spare` bytes are left behind what is used. The payload is empty afterwards. */
static inline void image_block(struct image *image, enum darn_block_type type, uint32_t thread,
                               uint32_t sequence, struct payload *payload, uint32_t spare)
{
    struct darn_block_header header = {.magic = DARN_BLOCK_MAGIC,
                                       .type = (uint16_t)type,
                                       .thread = thread,
                                       .sequence = sequence,
                                       .capacity = (uint32_t)payload->used + spare,
                                       .used = (uint32_t)payload->used};

    assert(image->length + sizeof(header) + header.capacity <= sizeof(image->bytes));
    memcpy(image->bytes + image->length, &header, sizeof(header));
    image->length += sizeof(header);
    memcpy(image->bytes + image->length, payload->bytes, payload->used);
    memset(image->bytes + image->length + payload->used, 0, spare);
    image->length += header.capacity;
    payload->used = 0;
    payload->codec = (struct darn_codec){0};
}

/* A page that was reserved and never used. */
static inline void image_hole(struct image *image)
{
    assert(image->length + DARN_TRACE_PAGE <= sizeof(image->bytes));
    memset(image->bytes + image->length, 0, DARN_TRACE_PAGE);
    image->length += DARN_TRACE_PAGE;
}

/* An event has padding at its end. */
static inline bool same_event(const struct darn_event *a, const struct darn_event *b)
{
    return a->target == b->target && a->extra == b->extra && a->thread == b->thread &&
           a->size == b->size && a->site == b->site && a->stack == b->stack &&
           a->flags == b->flags && a->kind == b->kind && a->lock == b->lock;
}

static inline void put_event(struct payload *payload, struct darn_event event, uint32_t where,
                             uint64_t stamp)
{
    struct darn_coded coded = {.event = event, .where = where, .stamp = stamp};

    assert(payload->used + DARN_CODEC_MOST <= sizeof(payload->bytes));
    payload->used =
        (size_t)(darn_codec_put(&payload->codec, payload->bytes + payload->used, &coded) -
                 payload->bytes);
}

static inline void put_number(struct payload *payload, uint64_t number)
{
    payload->used =
        (size_t)(darn_put_varint(payload->bytes + payload->used, number) - payload->bytes);
}

static inline void put_text(struct payload *payload, const char *text)
{
    put_number(payload, strlen(text));
    memcpy(payload->bytes + payload->used, text, strlen(text));
    payload->used += strlen(text);
}

/* A record with the given payload, which is empty afterwards. */
static inline void put_record(struct payload *table, unsigned type, struct payload *record)
{
    table->bytes[table->used++] = (uint8_t)type;
    put_number(table, record->used);
    memcpy(table->bytes + table->used, record->bytes, record->used);
    table->used += record->used;
    record->used = 0;
}

static inline void put_site(struct payload *table, uint32_t id, uint32_t line, const char *variable)
{
    static struct payload record;

    put_number(&record, id);
    put_number(&record, line);
    put_number(&record, 9);    /* column */
    put_number(&record, 8);    /* size */
    put_number(&record, 1);    /* kind */
    put_number(&record, 0x82); /* flags */
    put_number(&record, UINT64_C(0xfedcba9876543210) + id);
    put_text(&record, "bank.c");
    put_text(&record, "/home/me");
    put_text(&record, "teller");
    put_text(&record, variable);
    put_record(table, DARN_RECORD_SITE, &record);
}

/* A record that is nothing but numbers. */
static inline void put_numbers(struct payload *table, unsigned type, uint64_t a, uint64_t b,
                               uint64_t c)
{
    static struct payload record;

    put_number(&record, a);
    put_number(&record, b);
    put_number(&record, c);
    put_record(table, type, &record);
}

/* The tables of the sample: sites 1 (write), 2 and 3, a spin from 3 to 2, stack 1. */
static inline void put_sample_tables(struct payload *table)
{
    static struct payload record;

    put_text(&record, "/tmp/bank");
    put_record(table, DARN_RECORD_PROGRAM, &record);
    put_number(&record, 1);
    put_number(&record, 0x400000);
    put_number(&record, 0x500000);
    put_number(&record, 0x1000);
    put_text(&record, "/tmp/bank");
    put_record(table, DARN_RECORD_MODULE, &record);
    put_number(&record, 2); /* thread 1 */
    put_number(&record, 4712);
    put_number(&record, 1); /* its parent is thread 0 */
    put_number(&record, 1);
    put_text(&record, "teller");
    put_record(table, DARN_RECORD_THREAD, &record);
    put_numbers(table, DARN_RECORD_WHERE, 1, 1, 1);
    put_numbers(table, DARN_RECORD_WHERE, 2, 2, 0);
    put_numbers(table, DARN_RECORD_WHERE, 3, 3, 1);
    put_site(table, 1, 12, "balance");
    put_site(table, 2, 20, "flag");
    put_site(table, 3, 30, "");
    put_number(&record, 1);
    put_number(&record, 2); /* depth */
    put_number(&record, 0x401234);
    put_number(&record, UINT64_C(0x7f0000001234));
    put_record(table, DARN_RECORD_STACK, &record);
    put_numbers(table, DARN_RECORD_SYNC, 1, 3, 2);
    put_number(&record, 1);
    put_number(&record, 17);
    put_text(&record, "stacks were cut");
    put_record(table, DARN_RECORD_COUNTER, &record);
    put_text(&record, "of a later version");
    put_record(table, 99, &record);
}

/* What thread 0 does, in two blocks, and thread 1, in one. The stamps interleave them. */
static inline void put_sample_main(struct payload *first, struct payload *second)
{
    put_event(first, (struct darn_event){.kind = DARN_EVENT_START}, 0, 1);
    put_event(first, (struct darn_event){.kind = DARN_EVENT_WRITE, .target = 0x404010, .size = 8},
              1, 0);
    put_event(first, (struct darn_event){.kind = DARN_EVENT_FORK, .target = 1}, 0, 2);
    put_event(first, (struct darn_event){.kind = DARN_EVENT_READ, .target = 0x404010, .size = 4}, 1,
              0);
    put_event(second,
              (struct darn_event){.kind = DARN_EVENT_ACQUIRE,
                                  .target = 0x404040,
                                  .lock = DARN_EVENT_WRLOCK,
                                  .flags = DARN_EVENT_TRY},
              1, 5);
    put_event(second, (struct darn_event){.kind = DARN_EVENT_RELEASE, .target = 0x404040}, 1, 6);
    put_event(second, (struct darn_event){.kind = DARN_EVENT_JOIN, .target = 1}, 0, 10);
    put_event(second, (struct darn_event){.kind = DARN_EVENT_EXIT}, 0, 11);
}

static inline void put_sample_teller(struct payload *payload)
{
    put_event(payload, (struct darn_event){.kind = DARN_EVENT_START, .target = 0}, 0, 3);
    put_event(payload, (struct darn_event){.kind = DARN_EVENT_WRITE, .target = 0x404018, .size = 8},
              2, 0);
    put_event(payload,
              (struct darn_event){.kind = DARN_EVENT_ALLOC, .target = 0x55550000, .extra = 4096}, 3,
              7);
    put_event(payload, (struct darn_event){.kind = DARN_EVENT_SPIN, .extra = 2}, 3, 8);
    put_event(payload, (struct darn_event){.kind = DARN_EVENT_EXIT}, 0, 9);
}

#define SAMPLE_EVENTS 13

static inline void image_sample(struct image *image)
{
    static struct payload payload, second;

    image_start(image, 1);
    put_sample_main(&payload, &second);
    image_block(image, DARN_BLOCK_EVENTS, 0, 0, &payload, 3);
    put_sample_tables(&payload);
    image_block(image, DARN_BLOCK_TABLE, 0, 0, &payload, 100);
    put_sample_teller(&payload);
    image_block(image, DARN_BLOCK_EVENTS, 1, 0, &payload, 200);
    image_block(image, DARN_BLOCK_EVENTS, 0, 1, &second, 100);
}

#endif
