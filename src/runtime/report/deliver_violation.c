/* Hands violations of sections to `darn report`. */
#include <stddef.h>

#include "base/options.h"
#include "runtime/report/deliver.h"
#include "runtime/report/deliver_parts.h"
#include "site/site_section.h"

static const char *const allow_names[] = {
    [0] = "none",
    [DARN_ALLOW_READ] = "read",
    [DARN_ALLOW_WRITE] = "write",
    [DARN_ALLOW_ALL] = "read,write",
};

/* `at` is where somebody can change the section: `prog.sections:12`. */
static void write_section(struct darn_json *json, const struct darn_violation *violation)
{
    static char at[DARN_OPTIONS_PATH + 16]; /* the findings' lock is held; stacks may be small */
    struct darn_text text;

    darn_json_open(json, "section", '{');
    if (violation->kind)
        darn_json_string(json, "kind", violation->kind);
    if (violation->function)
        darn_json_string(json, "function", violation->function);
    if (violation->repository) {
        darn_text_start(&text, at, sizeof(at));
        darn_text_add(&text, violation->repository);
        darn_text_char(&text, ':');
        darn_text_number(&text, violation->line);
        darn_json_string(json, "at", at);
    }
    darn_json_string(json, "allow", allow_names[violation->allow & DARN_ALLOW_ALL]);
    darn_json_close(json, '}');
}

static void write_violation(struct darn_json *json, const struct darn_violation *violation,
                            uint64_t id, const char *variable)
{
    struct darn_maps *maps = darn_maps_read();
    const struct darn_touch *touch = &violation->entry->touch;

    darn_json_open(json, NULL, '{');
    darn_part_head(json, id, DARN_KIND_VIOLATION, "atomrace", "observed");
    darn_json_string(json, "variable", variable);
    darn_json_hex(json, "address", touch->address);
    darn_json_number(json, "size", (int64_t)touch->size);
    if (violation->has_values) {
        darn_json_hex(json, "before", violation->before);
        darn_json_hex(json, "after", violation->after);
    }
    darn_json_open(json, "accesses", '[');
    darn_part_side(json, maps, violation->entry, false);
    darn_part_side(json, maps, violation->remote, false);
    darn_part_side(json, maps, violation->end, false);
    darn_json_close(json, ']');
    write_section(json, violation);
    darn_part_guards(json, maps, touch->address);
    darn_part_location(json, maps, touch->address);
    darn_json_open(json, "threads", '[');
    darn_part_origin(json, maps, violation->entry);
    darn_part_origin(json, maps, violation->remote);
    darn_json_close(json, ']');
    darn_json_close(json, '}');
}

/* Without `darn report`: what the site records alone can say. */
static void say_short(const struct darn_violation *violation, const char *variable)
{
    const struct {
        const struct darn_side *side;
        const char *intro;
    } others[] = {{violation->remote, "note: meanwhile "}, {violation->end, "note: then "}};
    struct darn_say say;

    darn_part_say_start(&say, violation->entry);
    darn_say_text(&say, "warning: atomicity violation on '");
    darn_say_text(&say, variable);
    darn_say_text(&say, "' [" DARN_KIND_VIOLATION "]: ");
    darn_part_say_end(&say, violation->entry);
    for (int i = 0; i < 2; i++) {
        darn_part_say_start(&say, others[i].side);
        darn_say_text(&say, others[i].intro);
        darn_part_say_end(&say, others[i].side);
    }
}

enum darn_delivery darn_deliver_violation(const struct darn_violation *violation, uint64_t id,
                                          const char *variable)
{
    struct darn_json json;
    enum darn_delivery delivery;
    bool told;

    darn_part_start(&json);
    write_violation(&json, violation, id, variable);
    delivery = darn_part_send(&json, &told);
    if (!told)
        say_short(violation, variable);
    return delivery;
}
