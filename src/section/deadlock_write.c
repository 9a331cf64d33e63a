#include <string.h>

#include "section/deadlock.h"

static void put_hex(struct darn_text *text, uint64_t number)
{
    static const char digits[] = "0123456789abcdef";
    int shift = 60;

    while (shift && !(number >> shift))
        shift -= 4;
    for (; shift >= 0; shift -= 4)
        darn_text_char(text, digits[number >> shift & 15]);
}

/* Bytes that are no UTF-8 are kept: a file is found by its exact name. */
static void put_part(struct darn_text *text, const char *from)
{
    for (; *from; from++) {
        if ((unsigned char)*from < 0x20) {
            darn_text_add(text, *from < 0x10 ? "\\u000" : "\\u001");
            put_hex(text, (uint64_t)*from & 15);
            continue;
        }
        if (*from == '"' || *from == '\\')
            darn_text_char(text, '\\');
        darn_text_char(text, *from);
    }
}

static void put_string(struct darn_text *text, const char *from)
{
    darn_text_char(text, '"');
    put_part(text, from);
    darn_text_char(text, '"');
}

/* The first member of an object has no comma before it. */
static void put_key(struct darn_text *text, const char *key)
{
    darn_text_add(text, text->used && text->to[text->used - 1] == '{' ? "\"" : ", \"");
    darn_text_add(text, key);
    darn_text_add(text, "\": ");
}

static void put_member(struct darn_text *text, const char *key, const char *value)
{
    if (!value)
        return;
    put_key(text, key);
    put_string(text, value);
}

static void put_frame(struct darn_text *text, const struct darn_deadlock_frame *frame)
{
    darn_text_add(text, "\n      {");
    if (frame->module) {
        put_key(text, "at");
        darn_text_char(text, '"');
        put_part(text, frame->module);
        darn_text_add(text, "+0x");
        put_hex(text, frame->offset);
        darn_text_char(text, '"');
    }
    put_member(text, "calls", frame->calls);
    if (frame->calls && frame->nth) {
        put_key(text, "nth");
        darn_text_char(text, '"');
        darn_text_number(text, frame->nth);
        darn_text_char(text, '/');
        darn_text_number(text, frame->of);
        darn_text_char(text, '"');
    }
    put_member(text, "function", frame->function);
    put_member(text, "file", frame->file);
    if (frame->file && frame->line) {
        put_key(text, "line");
        darn_text_number(text, frame->line);
    }
    darn_text_char(text, '}');
}

static void put_stack(struct darn_text *text, const char *key,
                      const struct darn_deadlock_stack *stack)
{
    if (!stack->count)
        return;
    if (text->used && text->to[text->used - 1] != '{')
        darn_text_add(text, ",\n     ");
    darn_text_char(text, '"');
    darn_text_add(text, key);
    darn_text_add(text, "\": [");
    for (uint32_t i = 0; i < stack->count; i++) {
        if (i)
            darn_text_char(text, ',');
        put_frame(text, &stack->frames[i]);
    }
    darn_text_char(text, ']');
}

void darn_deadlock_write(struct darn_text *text, const struct darn_deadlock *deadlock)
{
    darn_text_add(text, "  {");
    put_member(text, "locks", deadlock->locks);
    if (deadlock->moved) {
        put_key(text, "moved");
        darn_text_add(text, "true");
    }
    put_key(text, "builds");
    darn_text_char(text, '{');
    for (uint32_t i = 0; i < deadlock->module_count; i++) {
        if (i)
            darn_text_add(text, ", ");
        put_string(text, deadlock->modules[i].name);
        darn_text_add(text, ": ");
        put_string(text, deadlock->modules[i].build);
    }
    darn_text_add(text, "},\n   \"threads\": [");
    for (uint32_t i = 0; i < deadlock->thread_count; i++) {
        darn_text_add(text, i ? ",\n    {" : "\n    {");
        put_stack(text, "holds", &deadlock->threads[i].holds);
        put_stack(text, "wants", &deadlock->threads[i].wants);
        darn_text_char(text, '}');
    }
    darn_text_add(text, "]}");
}
