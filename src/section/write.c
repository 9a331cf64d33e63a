#include <string.h>

#include "section/point.h"
#include "section/section.h"

/* Of a line; brackets and a comma may follow, 100 in all. */
#define WIDTH 97

/* The object as it grows: pieces that do not fit into the line begin the next one. */
struct page {
    struct darn_text *text;
    size_t line;  /* where the line begins */
    size_t piece; /* where the last piece begins: at its blank */
};

static bool is_escaped(char c)
{
    return c == '"' || c == '\\';
}

static size_t escaped_size(char c)
{
    return (unsigned char)c < 0x20 ? 6 : is_escaped(c) ? 2 : 1;
}

/*
 * Escapes what was written since `start`, from its end to its beginning. The bytes of names are
 * kept as they are otherwise, also those that are no UTF-8: a file is found again by its exact
 * name.
 */
static void escape_since(struct darn_text *text, size_t start)
{
    static const char digits[] = "0123456789abcdef";
    size_t from = text->used, to = start;

    for (size_t i = start; i < from; i++)
        to += escaped_size(text->to[i]);
    if (to + 1 > text->size) {
        text->cut = true;
        return;
    }
    text->used = to;
    text->to[to] = '\0';
    while (from > start && from != to) {
        char c = text->to[--from];

        to -= escaped_size(c);
        if ((unsigned char)c < 0x20) {
            memcpy(text->to + to, "\\u00", 4);
            text->to[to + 4] = digits[c >> 4];
            text->to[to + 5] = digits[c & 15];
        } else if (is_escaped(c)) {
            text->to[to] = '\\';
            text->to[to + 1] = c;
        } else {
            text->to[to] = c;
        }
    }
}

static void put_string(struct darn_text *text, const char *from)
{
    size_t start;

    darn_text_char(text, '"');
    start = text->used;
    darn_text_add(text, from);
    escape_since(text, start);
    darn_text_char(text, '"');
}

static void begin_piece(struct page *page, const char *separator)
{
    darn_text_add(page->text, separator);
    page->piece = page->text->used;
    darn_text_char(page->text, ' ');
}

/* Writes the last piece again, on a line of its own, if it went too far. */
static void end_piece(struct page *page)
{
    static const char turn[] = "\n   ";
    struct darn_text *text = page->text;
    size_t more = strlen(turn) - 1; /* than the blank */

    if (text->cut || text->used - page->line <= WIDTH)
        return;
    if (text->used + more + 1 > text->size) {
        text->cut = true;
        return;
    }
    memmove(text->to + page->piece + more, text->to + page->piece, text->used - page->piece + 1);
    memcpy(text->to + page->piece, turn, strlen(turn));
    text->used += more;
    page->line = page->piece + 1;
}

static void put_member(struct page *page, const char *key, const char *value)
{
    begin_piece(page, ",");
    put_string(page->text, key);
    darn_text_add(page->text, ": ");
    put_string(page->text, value);
    end_piece(page);
}

static void put_point(struct page *page, const struct darn_section *section,
                      const struct darn_point *point)
{
    size_t start;

    darn_text_char(page->text, '"');
    start = page->text->used;
    darn_point_write(page->text, section, point);
    escape_since(page->text, start);
    darn_text_char(page->text, '"');
}

static void put_points(struct page *page, const struct darn_section *section, const char *key,
                       uint8_t role)
{
    bool is_first = true;

    for (uint32_t i = 0; i < section->count; i++) {
        if (section->points[i].role != role)
            continue;
        begin_piece(page, ",");
        if (is_first) {
            put_string(page->text, key);
            darn_text_add(page->text, role == DARN_ROLE_ENTRY ? ": " : ": [");
        }
        put_point(page, section, &section->points[i]);
        end_piece(page);
        is_first = false;
    }
    if (!is_first && role != DARN_ROLE_ENTRY)
        darn_text_char(page->text, ']');
}

static void put_inside(struct page *page, const struct darn_section *section)
{
    bool is_first = true;
    const char *name;

    for (unsigned bit = 0; (name = darn_section_inside_name(bit)); bit++) {
        if (!(section->inside >> bit & 1))
            continue;
        begin_piece(page, ",");
        if (is_first)
            darn_text_add(page->text, "\"inside\": [");
        put_string(page->text, name);
        end_piece(page);
        is_first = false;
    }
    if (!is_first)
        darn_text_char(page->text, ']');
}

/* `bank.c:120-131 balance`; as an object when it has to say why it was dropped. */
static void put_lines(struct page *page, const struct darn_section *section)
{
    struct darn_text *text = page->text;
    size_t start;

    darn_text_add(text, section->why ? "{\"lines\": \"" : "\"");
    start = text->used;
    darn_lines_write(text, section);
    escape_since(text, start);
    darn_text_char(text, '"');
    if (!section->why)
        return;
    put_member(page, "why", section->why);
    darn_text_char(text, '}');
}

void darn_section_write(struct darn_text *text, const struct darn_section *section)
{
    struct page page = {.text = text, .line = text->used};

    darn_text_add(text, "  ");
    if (section->first) {
        put_lines(&page, section);
        return;
    }
    darn_text_add(text, "{\"variable\": ");
    put_string(text, section->variable);
    if (section->type && section->type[0])
        put_member(&page, "type", section->type);
    put_member(&page, "function", section->function);
    put_member(&page, "file", section->file);
    put_member(&page, "kind", darn_section_kind_name(section->kind));
    put_points(&page, section, "entry", DARN_ROLE_ENTRY);
    put_points(&page, section, "calls", DARN_ROLE_CALL);
    put_points(&page, section, "ends", DARN_ROLE_END);
    put_points(&page, section, "leaves", DARN_ROLE_LEAVE);
    put_inside(&page, section);
    if (section->why)
        put_member(&page, "why", section->why);
    darn_text_char(text, '}');
}
