#include "runtime/record/record_tables.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/hash.h"
#include "runtime/os/helper.h"
#include "runtime/os/os.h"
#include "runtime/os/os_spin.h"
#include "runtime/record/tracefile.h"
#include "runtime/report/counters.h"
#include "runtime/report/found.h"
#include "runtime/report/maps.h"
#include "runtime/watch/sites.h"
#include "trace/codec.h"

/* Of the tables that tell what is known already; both are powers of two. */
#define SLOTS (1 << 17)

/* A text in the trace is cut here. */
#define MAX_TEXT 1024

/* Room for the largest record: a site with four texts. */
#define MAX_RECORD (4 * MAX_TEXT + 512)

#define MODULES 512

struct slot {
    uint64_t key; /* 0: unused */
    uint32_t id;
};

/* A set of keys with numbers from 1 on. */
struct index {
    struct slot *slots;
    uint32_t count;
};

/* Protects everything below. Taken with signals blocked; the findings' lock nests inside. */
static struct darn_spin lock;
static struct darn_block_header *block;
static uint8_t *at;
static uint32_t sequence;
static struct index wheres, stacks, syncs;
static uint32_t *ids; /* of the sites in the trace, by their numbers (sites.h) */
static size_t ids_size;
static uint32_t site_count;
static struct {
    uintptr_t start, end;
} modules[MODULES];
static uint32_t module_count;
static uint8_t record[MAX_RECORD];

static void write_record(enum darn_record_type type, const uint8_t *end)
{
    size_t length = (size_t)(end - record);

    if (!block || at + length + 16 > darn_block_end(block)) {
        block = darn_tracefile_block(DARN_BLOCK_TABLE, 0, sequence, 4);
        if (!block) {
            darn_count(DARN_COUNT_TABLES_FULL);
            return;
        }
        sequence++;
        at = darn_block_start(block);
    }
    *at++ = (uint8_t)type;
    at = darn_put_varint(at, length);
    memcpy(at, record, length);
    at += length;
    darn_block_used(block, at);
}

static uint8_t *put_text(uint8_t *to, const char *text)
{
    size_t length = strnlen(text, MAX_TEXT);

    to = darn_put_varint(to, length);
    memcpy(to, text, length);
    return to + length;
}

/* The number of the key, and whether it is new; 0 when there is no room. */
static uint32_t find_or_add(struct index *index, uint64_t key, bool *is_new)
{
    uint64_t i = key & (SLOTS - 1);

    *is_new = false;
    if (!index->slots)
        index->slots = darn_os_allocate(SLOTS * sizeof(struct slot));
    if (!index->slots)
        return 0;
    key = key ? key : 1;
    for (; index->slots[i].key; i = (i + 1) & (SLOTS - 1)) {
        if (index->slots[i].key == key)
            return index->slots[i].id;
    }
    if (index->count >= SLOTS / 4 * 3) {
        darn_count(DARN_COUNT_TABLES_FULL);
        return 0;
    }
    *is_new = true;
    index->slots[i].key = key;
    index->slots[i].id = ++index->count;
    return index->count;
}

static void add_module(uintptr_t start, uintptr_t end, uint64_t offset, const char *path)
{
    uint8_t *to = record;

    for (uint32_t i = 0; i < module_count; i++) {
        if (modules[i].start == start)
            return;
    }
    if (module_count == MODULES)
        return;
    modules[module_count].start = start;
    modules[module_count].end = end;
    to = darn_put_varint(to, ++module_count);
    to = darn_put_varint(to, start);
    to = darn_put_varint(to, end);
    to = darn_put_varint(to, offset);
    to = put_text(to, path);
    write_record(DARN_RECORD_MODULE, to);
}

static void add_modules(void)
{
    uint32_t unused;

    if (!darn_findings_lock(&unused))
        return;
    darn_maps_each(darn_maps_read(), add_module);
    darn_findings_unlock();
}

static bool is_in_module(uintptr_t pc)
{
    for (uint32_t i = 0; i < module_count; i++) {
        if (pc >= modules[i].start && pc < modules[i].end)
            return true;
    }
    return false;
}

static uint64_t hash_stack(uint64_t hash, const struct darn_stack *stack)
{
    for (uint32_t i = 0; i < stack->depth; i++) {
        hash = darn_hash_number(hash, (uint32_t)stack->pcs[i]);
        hash = darn_hash_number(hash, (uint32_t)(stack->pcs[i] >> 32));
    }
    return hash;
}

static uint32_t stack_locked(const struct darn_stack *stack)
{
    bool is_new, is_known = true;
    uint32_t id = find_or_add(&stacks, hash_stack(DARN_HASH_START, stack), &is_new);
    uint8_t *to = record;

    if (!is_new)
        return id;
    for (uint32_t i = 0; i < stack->depth; i++)
        is_known = is_known && is_in_module(stack->pcs[i]);
    if (!is_known)
        add_modules(); /* something was loaded meanwhile, or the code is nobody's */
    to = darn_put_varint(to, id);
    to = darn_put_varint(to, stack->depth);
    for (uint32_t i = 0; i < stack->depth; i++)
        to = darn_put_varint(to, stack->pcs[i]);
    write_record(DARN_RECORD_STACK, to);
    return id;
}

/* Where the id of the site is kept, 0 for a new one; NULL when there is no memory. Ids are dense,
 * for a trace has but a few of a program's sites. */
static uint32_t *id_of(uint32_t number)
{
    if (number >= ids_size) {
        size_t size = 2 * (size_t)number + 4096;
        uint32_t *larger = darn_os_allocate(size * sizeof(*larger));

        if (!larger)
            return NULL;
        if (ids)
            memcpy(larger, ids, ids_size * sizeof(*ids)); /* the old one stays: this is rare */
        ids = larger;
        ids_size = size;
    }
    return &ids[number];
}

static uint32_t site_locked(const struct darn_site *site)
{
    uint32_t number = darn_site_number(site);
    uint32_t *id = number == DARN_SITE_UNKNOWN ? NULL : id_of(number);
    uint8_t *to = record;

    if (!id || *id)
        return id ? *id : 0;
    *id = ++site_count;
    to = darn_put_varint(to, *id);
    to = darn_put_varint(to, site->line);
    to = darn_put_varint(to, site->column);
    to = darn_put_varint(to, site->size);
    to = darn_put_varint(to, site->kind);
    to = darn_put_varint(to, site->flags);
    to = darn_put_varint(to, darn_site_key(site));
    to = put_text(to, darn_site_file(site));
    to = put_text(to, darn_site_dir(site));
    to = put_text(to, darn_site_function(site));
    to = put_text(to, darn_site_variable(site));
    to = darn_put_varint(to, darn_site_inlined(site));
    write_record(DARN_RECORD_SITE, to);
    return *id;
}

uint32_t darn_tables_where(const struct darn_site *site, const struct darn_stack *stack)
{
    uint64_t key = darn_hash_number(DARN_HASH_START, (uint32_t)(uintptr_t)site);
    uint64_t mask = darn_os_block_signals();
    uint8_t *to = record;
    uint32_t id, site_id, stack_id;
    bool is_new;

    key = hash_stack(darn_hash_number(key, (uint32_t)((uintptr_t)site >> 32)), stack);
    darn_spin_lock(&lock);
    id = find_or_add(&wheres, key, &is_new);
    if (is_new) {
        site_id = site ? site_locked(site) : 0;
        stack_id = stack_locked(stack);
        to = darn_put_varint(to, id);
        to = darn_put_varint(to, site_id);
        to = darn_put_varint(to, stack_id);
        write_record(DARN_RECORD_WHERE, to);
    }
    darn_spin_unlock(&lock);
    darn_os_restore_signals(mask);
    return id;
}

void darn_tables_thread(const struct darn_thread *thread, const char *name)
{
    uint64_t mask = darn_os_block_signals();
    uint32_t stack;
    uint8_t *to = record;

    darn_spin_lock(&lock);
    stack = thread->created.depth ? stack_locked(&thread->created) : 0;
    to = darn_put_varint(to, (uint64_t)thread->number + 1);
    to = darn_put_varint(to, (uint64_t)thread->tid);
    to = darn_put_varint(to, thread->has_parent ? (uint64_t)thread->parent + 1 : 0);
    to = darn_put_varint(to, stack);
    to = put_text(to, name);
    write_record(DARN_RECORD_THREAD, to);
    darn_spin_unlock(&lock);
    darn_os_restore_signals(mask);
}

void darn_tables_sync(const struct darn_site *reader, const struct darn_site *writer)
{
    uint64_t mask = darn_os_block_signals();
    uint32_t id, reader_id, writer_id;
    uint64_t key = darn_site_key(reader) * 31 + darn_site_key(writer);
    uint8_t *to = record;
    bool is_new;

    darn_spin_lock(&lock);
    id = find_or_add(&syncs, key, &is_new);
    if (is_new) {
        reader_id = site_locked(reader);
        writer_id = site_locked(writer);
        to = darn_put_varint(to, id);
        to = darn_put_varint(to, reader_id);
        to = darn_put_varint(to, writer_id);
        write_record(DARN_RECORD_SYNC, to);
    }
    darn_spin_unlock(&lock);
    darn_os_restore_signals(mask);
}

void darn_tables_counter(uint32_t id, uint64_t value, const char *text)
{
    uint8_t *to = record;

    darn_spin_lock(&lock);
    to = darn_put_varint(to, id);
    to = darn_put_varint(to, value);
    to = put_text(to, text);
    write_record(DARN_RECORD_COUNTER, to);
    darn_spin_unlock(&lock);
}

int darn_tables_open(void)
{
    write_record(DARN_RECORD_PROGRAM, put_text(record, darn_helper_program()));
    if (!block)
        return -1;
    add_modules();
    return 0;
}
