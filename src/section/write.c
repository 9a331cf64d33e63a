#include <string.h>

#include "section/point.h"
#include "section/section.h"

/* Of a line; brackets and a comma may follow, 100 in all. */
#define WIDTH 97

void darn_repository_style(struct darn_json *json)
{
    json->spaced = true;
    json->bytes = DARN_JSON_KEEP;
}

void darn_repository_open(struct darn_json *json)
{
    darn_repository_style(json);
    darn_json_open(json, NULL, '{');
    darn_json_number(json, "darn-sections", DARN_REPOSITORY_VERSION);
}

/* Where the next value begins: at the blank before it. */
static size_t begin_piece(const struct darn_json *json)
{
    return json->text.used + 1; /* after the comma */
}

/* Moves what was written since begin_piece to a line of its own, if it went too far. */
static void end_piece(struct darn_json *json, size_t piece)
{
    static const char line_break[] = "\n   ";
    struct darn_text *text = &json->text;
    size_t more = strlen(line_break) - 1, line = text->used; /* more than the blank */

    while (line && text->to[line - 1] != '\n')
        line--;
    if (text->cut || text->used - line <= WIDTH || !darn_text_reserve(text, more))
        return;
    memmove(text->to + piece + more, text->to + piece, text->used - piece + 1);
    memcpy(text->to + piece, line_break, strlen(line_break));
    text->used += more;
}

static void put_member(struct darn_json *json, const char *key, const char *value)
{
    size_t piece = begin_piece(json);

    darn_json_string(json, key, value);
    end_piece(json, piece);
}

static void put_point(struct darn_json *json, const char *key, const struct darn_section *section,
                      const struct darn_point *point)
{
    size_t start = darn_json_string_open(json, key);

    darn_point_write(&json->text, section, point);
    darn_json_string_close(json, start);
}

static void put_entry(struct darn_json *json, const struct darn_section *section)
{
    for (uint32_t i = 0; i < section->count; i++) {
        size_t piece = begin_piece(json);

        if (section->points[i].role != DARN_ROLE_ENTRY)
            continue;
        put_point(json, "entry", section, &section->points[i]);
        end_piece(json, piece);
    }
}

static void put_points(struct darn_json *json, const struct darn_section *section, const char *key,
                       uint8_t role)
{
    bool is_open = false;

    for (uint32_t i = 0; i < section->count; i++) {
        size_t piece = begin_piece(json);

        if (section->points[i].role != role)
            continue;
        if (!is_open)
            darn_json_open(json, key, '[');
        put_point(json, NULL, section, &section->points[i]);
        end_piece(json, piece);
        is_open = true;
    }
    if (is_open)
        darn_json_close(json, ']');
}

static void put_inside(struct darn_json *json, const struct darn_section *section)
{
    bool is_open = false;
    const char *name;

    for (unsigned bit = 0; (name = darn_section_inside_name(bit)); bit++) {
        size_t piece = begin_piece(json);

        if (!(section->inside >> bit & 1))
            continue;
        if (!is_open)
            darn_json_open(json, "inside", '[');
        darn_json_string(json, NULL, name);
        end_piece(json, piece);
        is_open = true;
    }
    if (is_open)
        darn_json_close(json, ']');
}

/* `bank.c:120-131 balance`; as an object when it has to say why it was dropped. */
static void put_lines(struct darn_json *json, const struct darn_section *section)
{
    size_t start;

    if (section->why)
        darn_json_open(json, NULL, '{');
    start = darn_json_string_open(json, section->why ? "lines" : NULL);
    darn_lines_write(&json->text, section);
    darn_json_string_close(json, start);
    if (!section->why)
        return;
    put_member(json, "why", section->why);
    darn_json_close(json, '}');
}

void darn_section_write(struct darn_json *json, const struct darn_section *section)
{
    darn_json_break(json, 2);
    if (section->first) {
        put_lines(json, section);
        return;
    }
    darn_json_open(json, NULL, '{');
    darn_json_string(json, "variable", section->variable);
    if (section->type && section->type[0])
        put_member(json, "type", section->type);
    put_member(json, "function", section->function);
    put_member(json, "file", section->file);
    put_member(json, "kind", darn_section_kind_name(section->kind));
    if (section->until)
        put_member(json, "until", darn_until_name(section->until));
    put_entry(json, section);
    put_points(json, section, "calls", DARN_ROLE_CALL);
    put_points(json, section, "ends", DARN_ROLE_END);
    put_points(json, section, "leaves", DARN_ROLE_LEAVE);
    put_inside(json, section);
    if (section->why)
        put_member(json, "why", section->why);
    darn_json_close(json, '}');
}
