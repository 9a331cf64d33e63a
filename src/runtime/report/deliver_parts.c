#include "runtime/report/deliver_parts.h"

#include <stddef.h>

#include "runtime/os/helper.h"
#include "runtime/os/os.h"
#include "runtime/watch/heap.h"

#define RECORD_SIZE (256 * 1024)

static const char *const op_names[] = {"read", "write", "update", "free"};
static const char *const lock_names[] = {"mutex", "read", "write", "spin"};
static const char *const assertion_names[] = {"", "exclusive-writer", "exclusive-access"};

/* The record under construction. */
static char *record;

bool darn_part_start(struct darn_json *json)
{
    if (!record)
        record = darn_os_allocate(RECORD_SIZE);
    if (record)
        darn_json_start(json, record, RECORD_SIZE);
    return record != NULL;
}

void darn_part_process(struct darn_json *json)
{
    darn_json_number(json, "raw", 1);
    darn_json_number(json, "pid", darn_os_process_id());
    darn_json_string(json, "program", darn_helper_program());
}

void darn_part_head(struct darn_json *json, uint64_t id, const char *kind, const char *engine)
{
    darn_part_process(json);
    darn_part_id(json, id);
    darn_json_string(json, "kind", kind);
    darn_json_string(json, "certainty", "observed");
    darn_json_string(json, "engine", engine);
    darn_json_number(json, "count", 1);
}

int darn_part_send(const struct darn_json *json)
{
    return json->text.cut ? DARN_OS_NOT_STARTED
                          : darn_helper_run(NULL, json->text.to, json->text.used);
}

const char *darn_part_op(const struct darn_side *side)
{
    return op_names[side->touch.op];
}

/* Sixteen digits, always: ids are compared as text. */
void darn_part_id(struct darn_json *json, uint64_t id)
{
    char digits[17];

    for (int i = 0; i < 16; i++)
        digits[i] = "0123456789abcdef"[id >> (60 - 4 * i) & 15];
    digits[16] = '\0';
    darn_json_string(json, "id", digits);
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

static struct darn_stack taken_at(const struct darn_thread_lock *lock)
{
    struct darn_stack stack = {1, {lock->pc}};

    while (stack.depth <= DARN_LOCK_CALLERS && lock->callers[stack.depth - 1]) {
        stack.pcs[stack.depth] = lock->callers[stack.depth - 1];
        stack.depth++;
    }
    return stack;
}

void darn_part_locks(struct darn_json *json, struct darn_maps *maps, const struct darn_locks *locks)
{
    darn_json_open(json, "locks", '[');
    for (uint32_t i = 0; i < locks->count; i++) {
        struct darn_stack stack = taken_at(&locks->held[i]);

        darn_json_open(json, NULL, '{');
        darn_json_hex(json, "address", locks->held[i].address);
        darn_json_string(json, "kind", lock_names[locks->held[i].kind]);
        darn_part_position(json, maps, locks->held[i].address);
        darn_part_stack(json, maps, &stack);
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
}

void darn_part_side(struct darn_json *json, struct darn_maps *maps, const struct darn_side *side)
{
    darn_json_open(json, NULL, '{');
    darn_json_string(json, "op", darn_part_op(side));
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

void darn_part_place(struct darn_json *json, struct darn_maps *maps, uintptr_t address)
{
    struct darn_heap_block block;
    uint64_t offset;

    if (darn_heap_find(address, &block)) {
        darn_json_open(json, "place", '{');
        darn_json_string(json, "kind", "heap");
        darn_json_hex(json, "address", block.address);
        darn_json_number(json, "size", (int64_t)block.size);
        darn_part_thread(json, "thread", block.thread);
        darn_part_stack(json, maps, &block.stack);
        darn_json_close(json, '}');
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
