/* Writes the raw finding of a program that dies by a signal, and has it reported. */
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>

#include "runtime/report/crash.h"
#include "runtime/report/deliver.h"
#include "runtime/report/deliver_parts.h"
#include "runtime/state.h"

static const char *const faults[] = {"", "read", "write", "run"};

static void name_signal(struct darn_text *text, int number)
{
    darn_text_add(text, "SIG");
    darn_text_add(text, sigabbrev_np(number));
}

static void write_struck(struct darn_json *json, struct darn_maps *maps,
                         const struct darn_crash *crash)
{
    const struct darn_side *side = &crash->side;

    darn_json_open(json, NULL, '{');
    darn_json_string(json, "op", "stop");
    if (crash->fault != DARN_FAULT_NONE)
        darn_json_string(json, "fault", faults[crash->fault]);
    darn_part_thread(json, "thread", side->thread);
    darn_json_string(json, "thread_name", side->name);
    darn_json_number(json, "tid", side->tid);
    darn_part_stack(json, maps, &side->stack);
    darn_part_locks(json, maps, &side->locks);
    darn_json_close(json, '}');
}

static void write_crash(struct darn_json *json, const struct darn_crash *crash, uint64_t id)
{
    struct darn_maps *maps = darn_maps_read();
    char name[16];
    struct darn_text text;

    darn_text_start(&text, name, sizeof(name) - 1);
    name_signal(&text, crash->number);
    name[text.used] = '\0';
    darn_json_open(json, NULL, '{');
    darn_part_head(json, id, DARN_KIND_FAILURE, "signal", "observed");
    darn_json_string(json, "reason", crash->number == SIGABRT ? "abort" : "crash");
    darn_json_string(json, "detail", name);
    if (crash->fault != DARN_FAULT_NONE)
        darn_json_hex(json, "address", crash->address);
    darn_json_bool(json, "preloaded", darn_state.preloaded);
    darn_json_open(json, "accesses", '[');
    write_struck(json, maps, crash);
    for (uint32_t i = 0; i < crash->other_count; i++)
        darn_part_side(json, maps, &crash->others[i], true);
    darn_json_close(json, ']');
    if (crash->fault != DARN_FAULT_NONE)
        darn_part_location(json, maps, crash->address);
    darn_json_open(json, "threads", '[');
    if (!crash->is_alone)
        darn_part_origin(json, maps, &crash->side);
    for (uint32_t i = 0; i < crash->other_count; i++)
        darn_part_origin(json, maps, &crash->others[i]);
    darn_json_close(json, ']');
    darn_json_close(json, '}');
}

static void say_short(const struct darn_crash *crash)
{
    struct darn_say say;

    darn_say_start(&say);
    darn_say_text(&say, "warning: T");
    darn_say_number(&say, crash->side.thread);
    darn_say_text(&say, " crashes with ");
    name_signal(&say.text, crash->number);
    darn_say_text(&say, " [failure]");
    darn_say_end(&say);
}

enum darn_delivery darn_deliver_crash(const struct darn_crash *crash, uint64_t id)
{
    struct darn_json json;
    enum darn_delivery delivery;
    bool told;

    darn_part_start(&json);
    write_crash(&json, crash, id);
    delivery = darn_part_send(&json, &told);
    if (!told)
        say_short(crash);
    return delivery;
}
