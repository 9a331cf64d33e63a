#include "runtime/report/deliver_parts.h"

#include <stddef.h>

#include "base/fingerprint.h"
#include "runtime/order/wheres.h"
#include "runtime/os/helper.h"
#include "runtime/os/os.h"
#include "runtime/report/counters.h"
#include "runtime/watch/heap.h"
#include "site/site_calls.h"

#define RECORD_SIZE (256 * 1024)

static const char *const op_names[] = {"read", "write", "update", "free", "use"};
static const char *const object_names[] = {"",        "mutex",     "rwlock",     "spin",   "cond",
                                           "barrier", "semaphore", "descriptor", "stream", "stack"};
static const char *const assertion_names[] = {"", "exclusive-writer", "exclusive-access"};

/* The record under construction. */
static char *record;

bool darn_part_start(struct darn_json *json)
{
    if (!record)
        record = darn_os_allocate(RECORD_SIZE);
    darn_json_start(json, record, record ? RECORD_SIZE : 0);
    return record != NULL;
}

void darn_part_process(struct darn_json *json)
{
    darn_json_number(json, "raw", 1);
    darn_json_number(json, "pid", darn_os_process_id());
    darn_json_string(json, "program", darn_helper_program());
}

void darn_part_head(struct darn_json *json, uint64_t id, const char *kind, const char *engine,
                    const char *certainty)
{
    darn_part_process(json);
    darn_part_id(json, "id", id);
    darn_json_string(json, "kind", kind);
    darn_json_string(json, "certainty", certainty);
    darn_json_string(json, "engine", engine);
    darn_json_number(json, "count", 1);
}

enum darn_delivery darn_part_send(const struct darn_json *json, bool *told)
{
    int status = json->text.cut ? DARN_OS_NOT_STARTED
                                : darn_helper_run(NULL, json->text.to, json->text.used);

    *told = status == DARN_STATUS_REPORTED || status == DARN_STATUS_SUPPRESSED;
    if (!*told)
        darn_count(DARN_COUNT_REPORTS_SHORT);
    return status == DARN_STATUS_SUPPRESSED ? DARN_SUPPRESSED : DARN_REPORTED;
}

const char *darn_part_op(const struct darn_side *side)
{
    return op_names[side->touch.op];
}

void darn_part_id(struct darn_json *json, const char *key, uint64_t id)
{
    char text[DARN_FINGERPRINT_TEXT];

    darn_fingerprint_text(id, text);
    darn_json_string(json, key, text);
}

void darn_part_thread(struct darn_json *json, const char *key, uint32_t number)
{
    char name[16];
    struct darn_text text;

    darn_text_start(&text, name, sizeof(name));
    darn_text_char(&text, 'T');
    darn_text_number(&text, number);
    darn_json_string(json, key, name);
}

void darn_part_position(struct darn_json *json, struct darn_maps *maps, uintptr_t address)
{
    uint64_t offset;
    const char *module = darn_maps_find(maps, address, &offset);

    if (module) {
        darn_json_string(json, "module", module);
        darn_json_hex(json, "offset", offset);
    }
}

void darn_part_stack(struct darn_json *json, struct darn_maps *maps, const struct darn_stack *stack)
{
    darn_json_open(json, "stack", '[');
    for (uint32_t i = 0; i < stack->depth; i++) {
        darn_json_open(json, NULL, '{');
        darn_json_hex(json, "pc", stack->pcs[i]);
        darn_part_position(json, maps, stack->pcs[i]);
        darn_json_close(json, '}');
    }
    darn_json_close(json, ']');
}

static void write_lock(struct darn_json *json, struct darn_maps *maps,
                       const struct darn_thread_lock *lock)
{
    darn_json_hex(json, "address", lock->address);
    darn_json_string(json, "kind", darn_lock_kind_name(lock->kind));
    darn_part_position(json, maps, lock->address);
}

void darn_part_locks(struct darn_json *json, struct darn_maps *maps, const struct darn_locks *locks)
{
    if (locks->is_unknown)
        darn_json_bool(json, "locks_unknown", true);
    darn_json_open(json, "locks", '[');
    for (uint32_t i = 0; i < locks->count; i++) {
        struct darn_stack stack;

        darn_lock_stack(&stack, &locks->held[i]);
        darn_json_open(json, NULL, '{');
        write_lock(json, maps, &locks->held[i]);
        darn_part_stack(json, maps, &stack);
        darn_json_close(json, '}');
    }
    darn_json_close(json, ']');
}

void darn_part_guards(struct darn_json *json, struct darn_maps *maps, uintptr_t address)
{
    struct darn_guard guards[DARN_GUARDS];
    uint32_t count = darn_where_guards(address, guards);

    darn_json_open(json, "guards", '[');
    for (uint32_t i = 0; i < count; i++) {
        darn_json_open(json, NULL, '{');
        write_lock(json, maps, &guards[i].lock);
        darn_json_number(json, "uses", guards[i].uses);
        darn_json_close(json, '}');
    }
    darn_json_close(json, ']');
}

static void write_site(struct darn_json *json, const struct darn_site *site)
{
    if (!site)
        return;
    darn_json_string(json, "file", darn_site_file(site));
    darn_json_string(json, "dir", darn_site_dir(site));
    darn_json_number(json, "line", site->line);
    darn_json_number(json, "column", site->column);
    darn_json_string(json, "function", darn_site_function(site));
    if (darn_site_stores_pointer(site->kind, site->flags))
        darn_json_bool(json, "pointer", true);
    darn_json_hex(json, "site_key", darn_site_key(site));
    if (darn_call_name(site->flags, site->size))
        darn_json_string(json, "call", darn_call_name(site->flags, site->size));
}

void darn_part_side(struct darn_json *json, struct darn_maps *maps, const struct darn_side *side,
                    bool names)
{
    darn_json_open(json, NULL, '{');
    darn_json_string(json, "op", darn_part_op(side));
    if (side->touch.object)
        darn_json_string(json, "object", object_names[side->touch.object]);
    if (names && side->touch.site)
        darn_json_string(json, "variable", darn_site_variable(side->touch.site));
    if (side->touch.assertion)
        darn_json_string(json, "assertion", assertion_names[side->touch.assertion]);
    darn_json_bool(json, "atomic", side->touch.atomic);
    darn_json_bool(json, "volatile", side->touch.is_volatile);
    darn_json_number(json, "size", (int64_t)side->touch.size);
    if (side->touch.has_value)
        darn_json_hex(json, "value", side->touch.value);
    darn_part_thread(json, "thread", side->thread);
    darn_json_string(json, "thread_name", side->name);
    darn_json_number(json, "tid", side->tid);
    write_site(json, side->touch.site);
    darn_part_stack(json, maps, &side->stack);
    darn_part_locks(json, maps, &side->locks);
    darn_json_close(json, '}');
}

void darn_part_origin(struct darn_json *json, struct darn_maps *maps, const struct darn_side *side)
{
    darn_json_open(json, NULL, '{');
    darn_part_thread(json, "thread", side->thread);
    darn_json_string(json, "name", side->name);
    darn_json_number(json, "tid", side->tid);
    if (side->has_parent)
        darn_part_thread(json, "parent", side->parent);
    darn_part_stack(json, maps, &side->created);
    darn_json_close(json, '}');
}

static void write_block(struct darn_json *json, struct darn_maps *maps, const char *key,
                        const struct darn_heap_block *block)
{
    darn_json_open(json, key, '{');
    darn_json_string(json, "kind", "heap");
    darn_json_hex(json, "address", block->address);
    darn_json_number(json, "size", (int64_t)block->size);
    darn_part_thread(json, "thread", block->thread);
    darn_part_stack(json, maps, &block->stack);
    darn_json_close(json, '}');
}

void darn_part_block(struct darn_json *json, struct darn_maps *maps,
                     struct darn_part_blocks *blocks, uintptr_t lock)
{
    struct darn_heap_block block;

    if (blocks->count == DARN_PART_BLOCKS || !darn_heap_find(lock, &block))
        return;
    for (uint32_t i = 0; i < blocks->count; i++) {
        if (blocks->told[i] == block.address)
            return;
    }
    blocks->told[blocks->count++] = block.address;
    write_block(json, maps, NULL, &block);
}

void darn_part_lock_blocks(struct darn_json *json, struct darn_maps *maps,
                           struct darn_part_blocks *blocks, const struct darn_locks *locks)
{
    for (uint32_t i = 0; i < locks->count; i++)
        darn_part_block(json, maps, blocks, locks->held[i].address);
}

void darn_part_location(struct darn_json *json, struct darn_maps *maps, uintptr_t address)
{
    struct darn_heap_block block;
    uint64_t offset;

    if (darn_heap_find(address, &block)) {
        write_block(json, maps, "place", &block);
    } else if (darn_maps_find(maps, address, &offset)) {
        darn_json_open(json, "place", '{');
        darn_json_string(json, "kind", "global");
        darn_part_position(json, maps, address);
        darn_json_close(json, '}');
    } else if (darn_maps_is_main_stack(maps, address)) {
        darn_json_open(json, "place", '{');
        darn_json_string(json, "kind", "stack");
        darn_part_thread(json, "thread", 0);
        darn_json_close(json, '}');
    }
}

void darn_part_say_start(struct darn_say *say, const struct darn_side *side)
{
    const struct darn_site *site = side->touch.site;

    darn_say_start(say);
    if (!site)
        return;
    darn_say_text(say, darn_site_file(site));
    darn_say_text(say, ":");
    darn_say_number(say, site->line);
    darn_say_text(say, ":");
    darn_say_number(say, site->column);
    darn_say_text(say, ": ");
}

void darn_part_say_end(struct darn_say *say, const struct darn_side *side)
{
    darn_say_text(say, darn_part_op(side));
    darn_say_text(say, " by thread T");
    darn_say_number(say, side->thread);
    darn_say_end(say);
}
