#include "report/story/snapshot_line.h"

#include <string.h>

#include "report/text/utf8.h"

unsigned darn_columns(const char *text)
{
    const char *end = text + strlen(text);
    unsigned columns = 0;

    while (text < end) {
        uint32_t code;

        text += darn_utf8_next(text, end, &code);
        columns++;
    }
    return columns;
}

/* Where the column of the text begins. */
static const char *skip(const char *text, unsigned columns)
{
    const char *end = text + strlen(text);

    while (columns-- && text < end) {
        uint32_t code;

        text += darn_utf8_next(text, end, &code);
    }
    return text;
}

const char *darn_fit(struct darn_text_pool *pool, const char *text, unsigned width)
{
    if (darn_columns(text) <= width)
        return text;
    if (width < 3)
        return &".."[2 - width];
    return darn_pool_format(pool, "%.*s..", (int)(skip(text, width - 2) - text), text);
}

const char *darn_fit_action(struct darn_text_pool *pool, const char *text, unsigned width)
{
    const char *blank = strchr(text, ' ');
    unsigned before = blank ? (unsigned)(blank - text) + 1 : 0, columns = darn_columns(text);

    if (columns <= width || !blank || strchr(blank + 1, ' ') || before + 6 > width)
        return darn_fit(pool, text, width);
    return darn_pool_format(pool, "%.*s..%s", (int)before, text,
                            skip(text, columns - (width - before - 2)));
}

void darn_line_go(struct darn_line *line, unsigned column)
{
    line->column = line->used && column < line->used + 2 ? line->used + 2 : column;
}

void darn_line_put(struct darn_line *line, const char *text)
{
    if (!*text)
        return;
    darn_say(line->ink, "%*s%s", (int)(line->column - line->used), "", text);
    line->column += darn_columns(text);
    line->used = line->column;
}

void darn_line_end(struct darn_line *line)
{
    darn_tint(line->ink, DARN_TINT_PLAIN);
    darn_say(line->ink, "\n");
    line->column = line->used = 0;
}
