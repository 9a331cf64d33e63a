#include "section/deadlock.h"

const char *darn_deadlock_by_name(enum darn_deadlock_by by)
{
    static const char *const names[] = {"holds", "starts", "ends"};

    return names[by];
}

static void put_member(struct darn_json *json, const char *key, const char *value)
{
    if (value)
        darn_json_string(json, key, value);
}

static void put_at(struct darn_json *json, const struct darn_deadlock_frame *frame)
{
    size_t start = darn_json_string_open(json, "at");

    darn_text_add(&json->text, frame->module);
    darn_text_add(&json->text, "+0x");
    darn_text_hex(&json->text, frame->offset);
    darn_json_string_close(json, start);
}

static void put_nth(struct darn_json *json, const struct darn_deadlock_frame *frame)
{
    size_t start = darn_json_string_open(json, "nth");

    darn_text_number(&json->text, frame->nth);
    darn_text_char(&json->text, '/');
    darn_text_number(&json->text, frame->of);
    darn_json_string_close(json, start);
}

static void put_frame(struct darn_json *json, const struct darn_deadlock_frame *frame)
{
    darn_json_break(json, 6);
    darn_json_open(json, NULL, '{');
    if (frame->module)
        put_at(json, frame);
    put_member(json, "calls", frame->calls);
    if (frame->calls && frame->nth)
        put_nth(json, frame);
    put_member(json, "function", frame->function);
    put_member(json, "file", frame->file);
    if (frame->file && frame->line)
        darn_json_number(json, "line", frame->line);
    darn_json_close(json, '}');
}

static void put_stack(struct darn_json *json, const char *key,
                      const struct darn_deadlock_stack *stack)
{
    if (!stack->count)
        return;
    if (json->comma)
        darn_json_break(json, 5);
    darn_json_open(json, key, '[');
    for (uint32_t i = 0; i < stack->count; i++)
        put_frame(json, &stack->frames[i]);
    darn_json_close(json, ']');
}

void darn_deadlock_write(struct darn_json *json, const struct darn_deadlock *deadlock)
{
    darn_json_open(json, NULL, '{');
    if (deadlock->until)
        put_member(json, "until", darn_until_name(deadlock->until));
    put_member(json, "locks", deadlock->locks);
    if (deadlock->moved)
        darn_json_bool(json, "moved", true);
    darn_json_open(json, "builds", '{');
    for (uint32_t i = 0; i < deadlock->module_count; i++)
        darn_json_string(json, deadlock->modules[i].name, deadlock->modules[i].build);
    darn_json_close(json, '}');
    darn_json_break(json, 3);
    darn_json_open(json, "threads", '[');
    for (uint32_t i = 0; i < deadlock->thread_count; i++) {
        darn_json_break(json, 4);
        darn_json_open(json, NULL, '{');
        put_stack(json, darn_deadlock_by_name(deadlock->threads[i].by),
                  &deadlock->threads[i].holds);
        put_stack(json, "wants", &deadlock->threads[i].wants);
        darn_json_close(json, '}');
    }
    darn_json_close(json, ']');
    darn_json_close(json, '}');
}
