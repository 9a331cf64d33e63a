#include "runtime/report/deliver.h"

#include <stddef.h>
#include <string.h>

#include "trace/event.h"
#include "runtime/os/helper.h"
#include "runtime/report/deliver_parts.h"
#include "runtime/state.h"
#include "runtime/thread/misuse.h"
#include "runtime/thread/stuck.h"

static bool write_same_value(const struct darn_side *a, const struct darn_side *b)
{
    return b && a->touch.has_value && b->touch.has_value && a->touch.value == b->touch.value &&
           a->touch.address == b->touch.address && a->touch.size == b->touch.size;
}

static void write_blocks_of_race(struct darn_json *json, struct darn_maps *maps,
                                 const struct darn_race *race)
{
    struct darn_part_blocks blocks = {.count = 0};

    darn_json_open(json, "blocks", '[');
    darn_part_lock_blocks(json, maps, &blocks, &race->first->locks);
    if (race->second)
        darn_part_lock_blocks(json, maps, &blocks, &race->second->locks);
    darn_json_close(json, ']');
}

static void write_race(struct darn_json *json, const struct darn_race *race, uint64_t id,
                       const char *variable)
{
    struct darn_maps *maps = darn_maps_read();
    const struct darn_touch *touch = &race->first->touch;

    darn_json_open(json, NULL, '{');
    darn_part_head(json, id, DARN_KIND_RACE, race->is_predicted ? "hb" : "atomrace",
                   race->is_predicted ? "predicted" : "observed");
    if (race->was_predicted)
        darn_json_bool(json, "was_predicted", true);
    if (race->variant_of)
        darn_part_id(json, "variant_of", race->variant_of);
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
    darn_part_side(json, maps, race->first, false);
    if (race->second)
        darn_part_side(json, maps, race->second, false);
    darn_json_close(json, ']');
    if (!touch->object)
        darn_part_guards(json, maps, touch->address);
    darn_part_location(json, maps, touch->address);
    write_blocks_of_race(json, maps, race);
    darn_json_open(json, "threads", '[');
    darn_part_origin(json, maps, race->first);
    if (race->second)
        darn_part_origin(json, maps, race->second);
    darn_json_close(json, ']');
    darn_json_close(json, '}');
}

/* Without `darn report`: what the site records alone can say. */
static void say_short(const struct darn_race *race, const char *variable)
{
    struct darn_say say;

    darn_part_say_start(&say, race->first);
    darn_say_text(&say, race->is_predicted ? "warning: possible data race on '"
                                           : "warning: data race on '");
    darn_say_text(&say, variable);
    darn_say_text(&say, race->is_predicted    ? "' [data-race, predicted by hb]: "
                        : race->was_predicted ? "' [data-race], predicted before and now observed: "
                                              : "' [data-race]: ");
    darn_part_say_end(&say, race->first);
    if (!race->second)
        return;
    darn_part_say_start(&say, race->second);
    darn_say_text(&say, "note: against the ");
    darn_part_say_end(&say, race->second);
}

/* A file descriptor has a number, which may be another one next time. */
#define FILE_NAME 32

static const char *name_file(const struct darn_race *race, const char *variable,
                             char name[FILE_NAME])
{
    struct darn_text text;

    if (race->first->touch.object != DARN_OBJECT_DESCRIPTOR)
        return variable;
    darn_text_start(&text, name, FILE_NAME);
    darn_text_add(&text, "file descriptor ");
    darn_text_number(&text, darn_event_file(race->first->touch.address));
    return name;
}

enum darn_delivery darn_deliver_race(const struct darn_race *race, uint64_t id,
                                     const char *variable)
{
    struct darn_json json;
    enum darn_delivery delivery;
    char name[FILE_NAME];
    bool told;

    variable = name_file(race, variable, name);
    darn_part_start(&json);
    write_race(&json, race, id, variable);
    delivery = darn_part_send(&json, &told);
    if (!told)
        say_short(race, variable);
    return delivery;
}

static void write_target(struct darn_json *json, struct darn_maps *maps, const char *key,
                         const char *kind, uintptr_t address)
{
    darn_json_open(json, key, '{');
    darn_json_hex(json, "address", address);
    darn_json_string(json, "kind", kind);
    darn_part_position(json, maps, address);
    darn_json_close(json, '}');
}

static void write_wait(struct darn_json *json, struct darn_maps *maps,
                       const struct darn_stuck_thread *thread)
{
    static const char *const kinds[] = {"", "mutex", "read", "write", "", "cond", "barrier", ""};
    const char *op = thread->wait < DARN_WAIT_JOIN ? "acquire" : "wait";

    if (thread->wait == DARN_WAIT_JOIN) {
        darn_json_string(json, "op", "join");
        darn_json_open(json, "target", '{');
        darn_part_thread(json, "thread", (uint32_t)thread->target);
        darn_json_close(json, '}');
        return;
    }
    darn_json_string(json, "op", thread->op ? thread->op : op);
    write_target(json, maps, "target", thread->op ? thread->object : kinds[thread->wait],
                 thread->target);
    if (thread->mutex)
        write_target(json, maps, "mutex", "mutex", thread->mutex);
}

static void write_blocks_of_stuck(struct darn_json *json, struct darn_maps *maps,
                                  const struct darn_stuck *stuck)
{
    struct darn_part_blocks blocks = {.count = 0};

    darn_json_open(json, "blocks", '[');
    for (uint32_t i = 0; i < stuck->count; i++) {
        const struct darn_stuck_thread *thread = &stuck->threads[i];

        darn_part_lock_blocks(json, maps, &blocks, &thread->side.locks);
        if (thread->wait != DARN_WAIT_JOIN)
            darn_part_block(json, maps, &blocks, thread->target);
    }
    darn_json_close(json, ']');
}

static void write_stuck(struct darn_json *json, const struct darn_stuck *stuck, uint64_t id)
{
    struct darn_maps *maps = darn_maps_read();

    darn_json_open(json, NULL, '{');
    darn_part_head(json, id, stuck->kind, stuck->threads[0].op ? "calls" : "wait-for", "observed");
    if (stuck->reason)
        darn_json_string(json, "reason", stuck->reason);
    darn_json_bool(json, "preloaded", darn_state.preloaded);
    darn_json_open(json, "accesses", '[');
    for (uint32_t i = 0; i < stuck->count; i++) {
        const struct darn_side *side = &stuck->threads[i].side;

        darn_json_open(json, NULL, '{');
        write_wait(json, maps, &stuck->threads[i]);
        darn_part_thread(json, "thread", side->thread);
        darn_json_string(json, "thread_name", side->name);
        darn_json_number(json, "tid", side->tid);
        darn_part_stack(json, maps, &side->stack);
        darn_part_locks(json, maps, &side->locks);
        darn_json_close(json, '}');
    }
    darn_json_close(json, ']');
    write_blocks_of_stuck(json, maps, stuck);
    darn_json_open(json, "threads", '[');
    for (uint32_t i = 0; i < stuck->count; i++)
        darn_part_origin(json, maps, &stuck->threads[i].side);
    darn_json_close(json, ']');
    darn_json_close(json, '}');
}

/* Without `darn report`. */
static void say_stuck(const struct darn_stuck *stuck)
{
    if (stuck->threads[0].op)
        darn_say_line("warning: a thread misuses what threads synchronize with [" DARN_KIND_MISUSE
                      "]");
    else
        darn_say_line(stuck->count == 1 ? "warning: a thread waits for itself [deadlock]"
                                        : "warning: threads wait for each other [deadlock]");
}

enum darn_delivery darn_deliver_stuck(const struct darn_stuck *stuck, uint64_t id)
{
    struct darn_json json;
    enum darn_delivery delivery;
    bool told;

    darn_part_start(&json);
    write_stuck(&json, stuck, id);
    delivery = darn_part_send(&json, &told);
    if (!told)
        say_stuck(stuck);
    return delivery;
}

static void write_finding(struct darn_json *json, struct darn_maps *maps,
                          const struct darn_known_finding *finding)
{
    darn_json_open(json, NULL, '{');
    darn_part_id(json, "id", finding->id);
    darn_json_string(json, "kind", finding->kind);
    if (finding->is_predicted)
        darn_json_string(json, "certainty", "predicted");
    if (finding->variant_of)
        darn_part_id(json, "variant_of", finding->variant_of);
    darn_json_number(json, "count", (int64_t)finding->count);
    darn_json_string(json, "file", finding->file);
    darn_json_number(json, "line", finding->line);
    darn_json_string(json, "function", finding->function);
    darn_json_string(json, "variable", finding->variable);
    if (finding->stack.depth)
        darn_part_stack(json, maps, &finding->stack);
    darn_json_close(json, '}');
}

/* Without `darn report`. */
static void say_summary(const struct darn_known_finding *findings, uint32_t count)
{
    uint32_t shown = 0, races = 0;
    struct darn_say say;

    for (uint32_t i = 0; i < count; i++) {
        if (!findings[i].count || findings[i].suppressed)
            continue;
        shown++;
        races += strcmp(findings[i].kind, DARN_KIND_RACE) == 0;
    }
    darn_say_start(&say);
    darn_say_text(&say, "SUMMARY: darn: ");
    darn_say_number(&say, shown);
    darn_say_text(&say, races == shown ? " data race" : " finding");
    darn_say_text(&say, shown == 1 ? "" : "s");
    darn_say_end(&say);
}

void darn_deliver_summary(const struct darn_known_finding *findings, uint32_t count)
{
    struct darn_json json;
    uint32_t suppressed = 0;
    struct darn_maps *maps;

    if (!darn_part_start(&json))
        return;
    maps = darn_maps_read();
    darn_json_open(&json, NULL, '{');
    darn_part_process(&json);
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
    if (darn_helper_run("--summary", json.text.to, json.text.used) != DARN_STATUS_REPORTED)
        say_summary(findings, count);
}

int darn_deliver_check(void)
{
    const struct darn_options *options = &darn_state.options;

    if (!options->suppressions[0] && !options->json[0] && !options->sarif[0] &&
        !options->baseline[0] &&
        (strcmp(options->log_path, "stderr") == 0 || strcmp(options->log_path, "stdout") == 0))
        return 0;
    return darn_helper_run("--check", "", 0) == 2 ? 2 : 0;
}

bool darn_deliver_locks(const char *trace, size_t length)
{
    int status = darn_helper_run("--locks", trace, length);

    if (status != DARN_STATUS_REPORTED && status != DARN_STATUS_PREDICTED)
        darn_say_line(
            "darn: detect_deadlocks: the order in which locks were taken could not be analyzed");
    return status == DARN_STATUS_PREDICTED;
}
