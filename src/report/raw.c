#include "report/raw.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/number.h"
#include "report/text/utf8.h"

/* Longer stacks are cut: no report needs them, and a wrong input must not take all memory. */
#define MOST_FRAMES 1024

static json_t *load_any(const char *json, size_t length, char *error, size_t error_size)
{
    char *copy = darn_need_memory(malloc(length ? length : 1));
    json_error_t why;
    json_t *object;

    memcpy(copy, json, length);
    darn_utf8_repair(copy, length);
    object = json_loadb(copy, length, 0, &why);
    free(copy);
    if (!object)
        snprintf(error, error_size, "the input is not JSON: %s (line %d, column %d)", why.text,
                 why.line, why.column);
    return object;
}

json_t *darn_raw_load(const char *json, size_t length, char *error, size_t error_size)
{
    json_t *object;

    if (!length) {
        snprintf(error, error_size, "the input is empty");
        return NULL;
    }
    object = load_any(json, length, error, error_size);
    if (!object)
        return NULL;
    if (json_is_object(object) && json_integer_value(json_object_get(object, "raw")) == 1)
        return object;
    json_decref(object);
    snprintf(error, error_size, "the input is no raw finding: it does not say \"raw\":1");
    return NULL;
}

/* Appends the object of the line. False with `error`, which says why it is none. */
static bool add_line(json_t *objects, const char *line, char *error, size_t error_size)
{
    json_error_t fault = {0};
    json_t *object = json_loads(line, 0, &fault);
    bool is_object = json_is_object(object);

    if (is_object)
        json_array_append(objects, object);
    else
        snprintf(error, error_size, "%s", object ? "expected an object" : fault.text);
    json_decref(object);
    return is_object;
}

json_t *darn_raw_lines(FILE *file, const char *path, char *error, size_t error_size)
{
    json_t *objects = json_array();
    char *line = NULL, fault[JSON_ERROR_TEXT_LENGTH];
    size_t room = 0, number = 0;
    bool fits = true;

    while (fits && getline(&line, &room, file) > 0) {
        number++;
        fits = !line[strspn(line, " \t\r\n")] || add_line(objects, line, fault, sizeof(fault));
    }
    if (!fits)
        snprintf(error, error_size, "%s:%zu: this is not a finding: %s", path, number, fault);
    else if (ferror(file))
        snprintf(error, error_size, "%s: %s", path, strerror(errno));
    if (!fits || ferror(file)) {
        json_decref(objects);
        objects = NULL;
    }
    free(line);
    return objects;
}

const char *darn_raw_text(struct darn_text_pool *pool, const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text && *text ? darn_pool_text(pool, text) : NULL;
}

struct darn_value darn_raw_value(const json_t *object, const char *key)
{
    const json_t *field = json_object_get(object, key);
    struct darn_value value = {false, 0};

    if (json_is_integer(field)) {
        value.known = json_integer_value(field) >= 0;
        value.bits = value.known ? (uint64_t)json_integer_value(field) : 0;
    } else if (json_is_string(field)) {
        value.known =
            darn_number_parse(json_string_value(field), json_string_length(field), &value.bits);
    }
    return value;
}

uint64_t darn_raw_number(const json_t *object, const char *key)
{
    struct darn_value value = darn_raw_value(object, key);

    return value.known ? value.bits : 0;
}

bool darn_raw_flag(const json_t *object, const char *key)
{
    return json_is_true(json_object_get(object, key));
}

unsigned darn_raw_line(const json_t *object, const char *key)
{
    uint64_t number = darn_raw_number(object, key);

    return number <= UINT_MAX ? (unsigned)number : 0;
}

struct darn_frame darn_raw_frame(struct darn_text_pool *pool, const json_t *object)
{
    return (struct darn_frame){
        .function = darn_raw_text(pool, object, "function"),
        .file = darn_raw_text(pool, object, "file"),
        .dir = darn_raw_text(pool, object, "dir"),
        .line = darn_raw_line(object, "line"),
        .column = darn_raw_line(object, "column"),
        .module = darn_raw_text(pool, object, "module"),
        .offset = darn_raw_number(object, "offset"),
        .pc = darn_raw_number(object, "pc"),
    };
}

/* A place that the runtime does not know is the address 0. */
static bool is_nowhere(const struct darn_frame *frame)
{
    return !frame->pc && !frame->module && !frame->function;
}

struct darn_finding_stack darn_raw_stack(struct darn_text_pool *pool, const json_t *object)
{
    const json_t *list = json_object_get(object, "stack");
    size_t length = json_array_size(list);
    struct darn_finding_stack stack = {NULL, length < MOST_FRAMES ? length : MOST_FRAMES};

    stack.frames = darn_pool_get(pool, stack.count, sizeof(*stack.frames));
    for (size_t i = 0; i < stack.count; i++)
        stack.frames[i] = darn_raw_frame(pool, json_array_get(list, i));
    if (stack.count == 1 && is_nowhere(&stack.frames[0]))
        stack.count = 0;
    return stack;
}
