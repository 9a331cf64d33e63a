#include "runtime/deliver.h"

#include <stddef.h>
#include <string.h>

#include "base/json.h"
#include "runtime/counters.h"
#include "runtime/heap.h"
#include "runtime/helper.h"
#include "runtime/maps.h"
#include "runtime/os.h"
#include "runtime/say.h"
#include "runtime/state.h"
#include "runtime/stuck.h"

/* `darn report` ends with these. */
#define STATUS_REPORTED   0
#define STATUS_SUPPRESSED 3
#define STATUS_PREDICTED  66

#define RECORD_SIZE (256 * 1024)

static const char *const op_names[] = {"read", "write", "update", "free"};
static const char *const lock_names[] = {"mutex", "read", "write", "spin"};
static const char *const assertion_names[] = {"", "exclusive-writer", "exclusive-access"};

/* The record under construction. */
static char *record;

/* Sixteen digits, always: ids are compared as text. */
static void write_id(struct darn_json *json, uint64_t id)
{
    char digits[17];

    for (int i = 0; i < 16; i++)
        digits[i] = "0123456789abcdef"[id >> (60 - 4 * i) & 15];
    digits[16] = '\0';
    darn_json_string(json, "id", digits);
}

static void write_thread(struct darn_json *json, const char *key, uint32_t number)
{
    char name[16];
    struct darn_text text;

    darn_text_start(&text, name, sizeof(name));
    darn_text_char(&text, 'T');
    darn_text_number(&text, number);
    darn_json_string(json, key, name);
}

static void write_place_in_file(struct darn_json *json, struct darn_maps *maps, uintptr_t address)
{
    uint64_t offset;
    const char *module = darn_maps_find(maps, address, &offset);

    if (module) {
        darn_json_string(json, "module", module);
        darn_json_hex(json, "offset", offset);
    }
}

static void write_stack(struct darn_json *json, struct darn_maps *maps,
                        const struct darn_stack *stack)
{
    darn_json_open(json, "stack", '[');
    for (uint32_t i = 0; i < stack->depth; i++) {
        darn_json_open(json, NULL, '{');
        darn_json_hex(json, "pc", stack->pcs[i]);
        write_place_in_file(json, maps, stack->pcs[i]);
        darn_json_close(json, '}');
    }
    darn_json_close(json, ']');
}

static void write_locks(struct darn_json *json, struct darn_maps *maps,
                        const struct darn_locks *locks)
{
    darn_json_open(json, "locks", '[');
    for (uint32_t i = 0; i < locks->count; i++) {
        darn_json_open(json, NULL, '{');
        darn_json_hex(json, "address", locks->held[i].address);
        darn_json_string(json, "kind", lock_names[locks->held[i].kind]);
        write_place_in_file(json, maps, locks->held[i].address);
        write_stack(json, maps, &(struct darn_stack){1, {locks->held[i].pc}});
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

static void write_side(struct darn_json *json, struct darn_maps *maps, const struct darn_side *side)
{
    darn_json_open(json, NULL, '{');
    darn_json_string(json, "op", op_names[side->touch.op]);
    if (side->touch.assertion)
        darn_json_string(json, "assertion", assertion_names[side->touch.assertion]);
    darn_json_bool(json, "atomic", side->touch.atomic);
    darn_json_bool(json, "volatile", side->touch.is_volatile);
    darn_json_number(json, "size", (int64_t)side->touch.size);
    if (side->touch.has_value)
        darn_json_hex(json, "value", side->touch.value);
    write_thread(json, "thread", side->thread);
    darn_json_string(json, "thread_name", side->name);
    darn_json_number(json, "tid", side->tid);
    write_site(json, side->touch.site);
    write_stack(json, maps, &side->stack);
    write_locks(json, maps, &side->locks);
    darn_json_close(json, '}');
}

static void write_thread_origin(struct darn_json *json, struct darn_maps *maps,
                                const struct darn_side *side)
{
    darn_json_open(json, NULL, '{');
    write_thread(json, "thread", side->thread);
    darn_json_string(json, "name", side->name);
    darn_json_number(json, "tid", side->tid);
    if (side->has_parent)
        write_thread(json, "parent", side->parent);
    write_stack(json, maps, &side->created);
    darn_json_close(json, '}');
}

static void write_place(struct darn_json *json, struct darn_maps *maps, uintptr_t address)
{
    struct darn_heap_block block;
    uint64_t offset;

    if (darn_heap_find(address, &block)) {
        darn_json_open(json, "place", '{');
        darn_json_string(json, "kind", "heap");
        darn_json_hex(json, "address", block.address);
        darn_json_number(json, "size", (int64_t)block.size);
        write_thread(json, "thread", block.thread);
        write_stack(json, maps, &block.stack);
        darn_json_close(json, '}');
    } else if (darn_maps_find(maps, address, &offset)) {
        darn_json_open(json, "place", '{');
        darn_json_string(json, "kind", "global");
        write_place_in_file(json, maps, address);
        darn_json_close(json, '}');
    } else if (darn_maps_is_main_stack(maps, address)) {
        darn_json_open(json, "place", '{');
        darn_json_string(json, "kind", "stack");
        write_thread(json, "thread", 0);
        darn_json_close(json, '}');
    }
}

static bool write_same_value(const struct darn_side *a, const struct darn_side *b)
{
    return b && a->touch.has_value && b->touch.has_value && a->touch.value == b->touch.value &&
           a->touch.address == b->touch.address && a->touch.size == b->touch.size;
}

static void write_race(struct darn_json *json, const struct darn_race *race, uint64_t id,
                       const char *variable)
{
    struct darn_maps *maps = darn_maps_read();
    const struct darn_touch *touch = &race->first->touch;

    darn_json_open(json, NULL, '{');
    darn_json_number(json, "raw", 1);
    darn_json_number(json, "pid", darn_os_process_id());
    darn_json_string(json, "program", darn_helper_program());
    write_id(json, id);
    darn_json_string(json, "kind", "data-race");
    darn_json_string(json, "certainty", "observed");
    darn_json_string(json, "engine", "atomrace");
    darn_json_number(json, "count", 1);
    darn_json_string(json, "variable", variable);
    darn_json_hex(json, "address", touch->address);
    darn_json_number(json, "size", (int64_t)touch->size);
    if (race->has_values) {
        darn_json_hex(json, "before", race->before);
        darn_json_hex(json, "after", race->after);
    }
    darn_json_bool(json, "same_value", write_same_value(race->first, race->second));
    if (!race->second)
        darn_json_string(json, "origin", "unknown");
    darn_json_open(json, "accesses", '[');
    write_side(json, maps, race->first);
    if (race->second)
        write_side(json, maps, race->second);
    darn_json_close(json, ']');
    write_place(json, maps, touch->address);
    darn_json_open(json, "threads", '[');
    write_thread_origin(json, maps, race->first);
    if (race->second)
        write_thread_origin(json, maps, race->second);
    darn_json_close(json, ']');
    darn_json_close(json, '}');
}

static bool start_record(struct darn_json *json)
{
    if (!record)
        record = darn_os_allocate(RECORD_SIZE);
    if (record)
        darn_json_start(json, record, RECORD_SIZE);
    return record != NULL;
}

/* Without `darn report`: what the site records alone can say. */
static void say_short(const struct darn_race *race, const char *variable)
{
    const struct darn_side *sides[2] = {race->first, race->second};

    darn_count(DARN_COUNT_REPORTS_SHORT);
    for (int i = 0; i < 2; i++) {
        const struct darn_site *site = sides[i] ? sides[i]->touch.site : NULL;
        struct darn_say say;

        if (!sides[i])
            continue;
        darn_say_start(&say);
        if (site) {
            darn_say_text(&say, darn_site_file(site));
            darn_say_text(&say, ":");
            darn_say_number(&say, site->line);
            darn_say_text(&say, ":");
            darn_say_number(&say, site->column);
            darn_say_text(&say, ": ");
        }
        darn_say_text(&say, i ? "note: against the " : "warning: data race on '");
        if (!i) {
            darn_say_text(&say, variable);
            darn_say_text(&say, "' [data-race]: ");
        }
        darn_say_text(&say, op_names[sides[i]->touch.op]);
        darn_say_text(&say, " by thread T");
        darn_say_number(&say, sides[i]->thread);
        darn_say_end(&say);
    }
}

enum darn_verdict darn_deliver_race(const struct darn_race *race, uint64_t id, const char *variable)
{
    struct darn_json json;
    int status = DARN_OS_NOT_STARTED;

    if (start_record(&json)) {
        write_race(&json, race, id, variable);
        if (!json.text.cut)
            status = darn_helper_run(NULL, json.text.to, json.text.used);
    }
    if (status == STATUS_SUPPRESSED)
        return DARN_SUPPRESSED;
    if (status != STATUS_REPORTED)
        say_short(race, variable);
    return DARN_REPORTED;
}

static void write_target(struct darn_json *json, struct darn_maps *maps, const char *key,
                         const char *kind, uintptr_t address)
{
    darn_json_open(json, key, '{');
    darn_json_hex(json, "address", address);
    darn_json_string(json, "kind", kind);
    write_place_in_file(json, maps, address);
    darn_json_close(json, '}');
}

static void write_wait(struct darn_json *json, struct darn_maps *maps,
                       const struct darn_stuck_thread *thread)
{
    static const char *const kinds[] = {"", "mutex", "read", "write", "", "cond", "barrier", ""};

    if (thread->wait == DARN_WAIT_JOIN) {
        darn_json_string(json, "op", "join");
        darn_json_open(json, "target", '{');
        write_thread(json, "thread", (uint32_t)thread->target);
        darn_json_close(json, '}');
        return;
    }
    darn_json_string(json, "op", thread->wait < DARN_WAIT_JOIN ? "acquire" : "wait");
    write_target(json, maps, "target", kinds[thread->wait], thread->target);
    if (thread->mutex)
        write_target(json, maps, "mutex", "mutex", thread->mutex);
}

static void write_stuck(struct darn_json *json, const struct darn_stuck *stuck, uint64_t id)
{
    struct darn_maps *maps = darn_maps_read();

    darn_json_open(json, NULL, '{');
    darn_json_number(json, "raw", 1);
    darn_json_number(json, "pid", darn_os_process_id());
    darn_json_string(json, "program", darn_helper_program());
    write_id(json, id);
    darn_json_string(json, "kind", stuck->kind);
    if (stuck->reason)
        darn_json_string(json, "reason", stuck->reason);
    darn_json_string(json, "certainty", "observed");
    darn_json_string(json, "engine", "wait-for");
    darn_json_bool(json, "preloaded", darn_state.preloaded);
    darn_json_number(json, "count", 1);
    darn_json_open(json, "accesses", '[');
    for (uint32_t i = 0; i < stuck->count; i++) {
        const struct darn_side *side = &stuck->threads[i].side;

        darn_json_open(json, NULL, '{');
        write_wait(json, maps, &stuck->threads[i]);
        write_thread(json, "thread", side->thread);
        darn_json_string(json, "thread_name", side->name);
        darn_json_number(json, "tid", side->tid);
        write_stack(json, maps, &side->stack);
        write_locks(json, maps, &side->locks);
        darn_json_close(json, '}');
    }
    darn_json_close(json, ']');
    darn_json_open(json, "threads", '[');
    for (uint32_t i = 0; i < stuck->count; i++)
        write_thread_origin(json, maps, &stuck->threads[i].side);
    darn_json_close(json, ']');
    darn_json_close(json, '}');
}

enum darn_verdict darn_deliver_stuck(const struct darn_stuck *stuck, uint64_t id)
{
    struct darn_json json;
    int status = DARN_OS_NOT_STARTED;

    if (start_record(&json)) {
        write_stuck(&json, stuck, id);
        if (!json.text.cut)
            status = darn_helper_run(NULL, json.text.to, json.text.used);
    }
    if (status == STATUS_SUPPRESSED)
        return DARN_SUPPRESSED;
    if (status != STATUS_REPORTED) {
        darn_count(DARN_COUNT_REPORTS_SHORT);
        darn_say(stuck->count == 1 ? "warning: a thread waits for itself [deadlock]"
                                   : "warning: threads wait for each other [deadlock]");
    }
    return DARN_REPORTED;
}

static void write_finding(struct darn_json *json, struct darn_maps *maps,
                          const struct darn_finding *finding)
{
    darn_json_open(json, NULL, '{');
    write_id(json, finding->id);
    darn_json_string(json, "kind", finding->kind);
    darn_json_number(json, "count", (int64_t)finding->count);
    darn_json_string(json, "file", finding->file);
    darn_json_number(json, "line", finding->line);
    darn_json_string(json, "function", finding->function);
    darn_json_string(json, "variable", finding->variable);
    if (finding->stack.depth)
        write_stack(json, maps, &finding->stack);
    darn_json_close(json, '}');
}

void darn_deliver_summary(const struct darn_finding *findings, uint32_t count)
{
    struct darn_json json;
    uint32_t suppressed = 0;
    struct darn_maps *maps;
    struct darn_say say;

    if (!start_record(&json))
        return;
    maps = darn_maps_read();
    darn_json_open(&json, NULL, '{');
    darn_json_number(&json, "raw", 1);
    darn_json_number(&json, "pid", darn_os_process_id());
    darn_json_string(&json, "program", darn_helper_program());
    darn_json_open(&json, "findings", '[');
    for (uint32_t i = 0; i < count; i++) {
        if (!findings[i].count)
            continue;
        if (findings[i].suppressed)
            suppressed++;
        else
            write_finding(&json, maps, &findings[i]);
    }
    darn_json_close(&json, ']');
    darn_json_number(&json, "suppressed", suppressed);
    darn_json_close(&json, '}');
    if (darn_helper_run("--summary", json.text.to, json.text.used) == STATUS_REPORTED)
        return;
    darn_say_start(&say);
    darn_say_text(&say, "SUMMARY: darn: ");
    darn_say_number(&say, count - suppressed);
    darn_say_text(&say, count - suppressed == 1 ? " data race" : " data races");
    darn_say_end(&say);
}

int darn_deliver_check(void)
{
    const struct darn_options *options = &darn_state.options;

    if (!options->suppressions[0] && !options->json[0] &&
        (strcmp(options->log_path, "stderr") == 0 || strcmp(options->log_path, "stdout") == 0))
        return 0;
    return darn_helper_run("--check", "", 0) == 2 ? 2 : 0;
}

bool darn_deliver_locks(const char *trace)
{
    return darn_helper_run("--locks", trace, strlen(trace)) == STATUS_PREDICTED;
}
