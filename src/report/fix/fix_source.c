#include "report/fix/fix_source.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define MOST (16u << 20) /* bytes of a file */

/* What the text before has left open. */
struct scan {
    int depth, parens, conditions;
    bool in_comment;
    bool continues; /* a directive, by a backslash */
};

/* Behind the string or character that begins at `at`. */
static const char *skip_quoted(const char *at)
{
    char quote = *at++;

    for (; *at && *at != quote; at++)
        if (*at == '\\' && at[1])
            at++;
    return *at ? at + 1 : at;
}

static void take_code(struct scan *scan, struct darn_source_row *row, char c)
{
    row->last = c;
    if (c == '{')
        scan->depth++;
    else if (c == '}')
        scan->depth--;
    else if (c == '(')
        scan->parens++;
    else if (c == ')')
        scan->parens--;
    if (scan->depth < row->least)
        row->least = scan->depth;
}

static void scan_code(struct scan *scan, struct darn_source_row *row)
{
    const char *at = row->text;

    while (*at) {
        if (scan->in_comment) {
            const char *end = strstr(at, "*/");

            scan->in_comment = !end;
            at = end ? end + 2 : at + strlen(at);
        } else if (at[0] == '/' && at[1] == '/') {
            break;
        } else if (at[0] == '/' && at[1] == '*') {
            scan->in_comment = true;
            at += 2;
        } else if (*at == '"' || *at == '\'') {
            row->last = *at;
            at = skip_quoted(at);
        } else {
            if (!isspace((unsigned char)*at))
                take_code(scan, row, *at);
            at++;
        }
    }
}

/* Whether the directive is this one, or one that begins so. */
static bool is_directive(const struct darn_source_row *row, const char *word)
{
    const char *text = row->text + strspn(row->text, " \t");

    return *text == '#' && strncmp(text + 1 + strspn(text + 1, " \t"), word, strlen(word)) == 0;
}

static void scan_directive(struct scan *scan, struct darn_source_row *row)
{
    bool opens = is_directive(row, "if"), closes = is_directive(row, "endif");

    row->conditions -= closes || is_directive(row, "el");
    scan->conditions += opens - closes;
}

static void scan_row(struct scan *scan, struct darn_source_row *row)
{
    const char *first = row->text + strspn(row->text, " \t");
    size_t length = strlen(row->text);

    row->start = row->least = scan->depth;
    row->directive = scan->continues || (!scan->in_comment && *first == '#');
    scan->continues = row->directive && length && row->text[length - 1] == '\\';
    row->conditions = scan->conditions;
    if (row->directive)
        scan_directive(scan, row);
    else
        scan_code(scan, row);
    row->end = scan->depth;
    row->parens = scan->parens;
}

/* NULL when it cannot be read, or is too long for a source. */
static char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "re");
    char *text = NULL, piece[16384];
    size_t got;
    FILE *to = file ? darn_need_memory(open_memstream(&text, length)) : NULL;

    while (to && (got = fread(piece, 1, sizeof(piece), file)) > 0 && (size_t)ftell(to) <= MOST)
        fwrite(piece, 1, got, to);
    if (to && fclose(to))
        darn_need_memory(NULL);
    if (file)
        fclose(file);
    if (text && *length > MOST) {
        free(text);
        return NULL;
    }
    return text;
}

static unsigned count_lines(const char *text)
{
    unsigned count = 0;

    for (; *text; count++) {
        const char *end = strchr(text, '\n');

        text = end ? end + 1 : text + strlen(text);
    }
    return count;
}

/* Without the end of the line. */
static size_t length_of_line(const struct darn_source *source, const char *from)
{
    size_t length = strcspn(from, "\n");

    return length - (source->has_returns && length > 0 && from[length] == '\n');
}

/* Whether all lines end with a carriage return and a line feed. */
static bool has_returns(const char *text)
{
    const char *at = strchr(text, '\n');

    if (!at)
        return false;
    for (; at; at = strchr(at + 1, '\n'))
        if (at == text || at[-1] != '\r')
            return false;
    return true;
}

bool darn_source_load(struct darn_source *source, const char *path)
{
    struct scan scan = {0};
    size_t length;
    char *text = read_file(path, &length);
    const char *from;

    *source = (struct darn_source){.file = NULL};
    source->original = from = darn_pool_text(&source->pool, text);
    free(text);
    if (!from || strlen(from) != length)
        return false;
    source->count = count_lines(from);
    source->has_returns = has_returns(from);
    source->is_cut = length && from[length - 1] != '\n';
    source->rows = darn_pool_get(&source->pool, source->count + 2, sizeof(*source->rows));
    source->rows[0].text = "";
    for (unsigned i = 1; i <= source->count; i++) {
        source->rows[i].text = darn_pool_part(&source->pool, from, length_of_line(source, from));
        from += strcspn(from, "\n") + 1;
        scan_row(&scan, &source->rows[i]);
    }
    return true;
}

void darn_source_free(struct darn_source *source)
{
    darn_pool_release(&source->pool);
    *source = (struct darn_source){.file = NULL};
}

static bool has_code(const struct darn_source_row *row)
{
    return row->last && !row->directive;
}

/* The line of code before this one; 0: there is none. */
static unsigned code_before(const struct darn_source *source, unsigned line)
{
    while (--line && !has_code(&source->rows[line]))
        ;
    return line;
}

static unsigned code_after(const struct darn_source *source, unsigned line)
{
    while (++line <= source->count && !has_code(&source->rows[line]))
        ;
    return line <= source->count ? line : 0;
}

static bool first_word_is(const struct darn_source_row *row, const char *word)
{
    const char *text = row->text + strspn(row->text, " \t}");
    size_t length = strlen(word);

    return strncmp(text, word, length) == 0 && !isalnum((unsigned char)text[length]) &&
           text[length] != '_';
}

bool darn_source_begins(const struct darn_source *source, unsigned line)
{
    const struct darn_source_row *row = &source->rows[line], *before;
    unsigned previous = code_before(source, line);

    if (!has_code(row) || !previous || row->text[strspn(row->text, " \t")] == '}' ||
        first_word_is(row, "else"))
        return false;
    before = &source->rows[previous];
    return strchr(";{}:", before->last) && before->parens == 0;
}

static bool ends_with(const struct darn_source *source, unsigned line)
{
    const struct darn_source_row *row = &source->rows[line];
    unsigned next = code_after(source, line);

    return has_code(row) && strchr(";}", row->last) && row->parens == 0 &&
           !(next && first_word_is(&source->rows[next], "else"));
}

/* The least depth of all lines, in braces and in conditions. */
struct least {
    int braces, conditions;
};

static struct least least_of(const struct darn_source *source, unsigned first, unsigned last)
{
    struct least least = {source->rows[first].least, source->rows[first].conditions};

    for (unsigned i = first; i <= last; i++) {
        if (source->rows[i].least < least.braces)
            least.braces = source->rows[i].least;
        if (source->rows[i].conditions < least.conditions)
            least.conditions = source->rows[i].conditions;
    }
    return least;
}

/* What is compiled under a condition only is not half of the lines. */
static bool may_begin(const struct darn_source *source, unsigned line, struct least least)
{
    const struct darn_source_row *row = &source->rows[line];
    unsigned code = is_directive(row, "if") ? code_after(source, line) : line;

    return row->start == least.braces && row->conditions == least.conditions && code &&
           darn_source_begins(source, code);
}

static bool may_end(const struct darn_source *source, unsigned line, struct least least)
{
    const struct darn_source_row *row = &source->rows[line];
    unsigned code = is_directive(row, "endif") ? code_before(source, line) : line;

    return row->end == least.braces && row->conditions == least.conditions && code &&
           ends_with(source, code);
}

bool darn_source_widen(const struct darn_source *source, unsigned *first, unsigned *last)
{
    unsigned from = *first, to = *last;

    if (!from || from > to || to > source->count)
        return false;
    for (;;) {
        struct least least = least_of(source, from, to);

        if (least.braces < 1 || from < 2 || to >= source->count)
            return false;
        if (!may_begin(source, from, least))
            from--;
        else if (!may_end(source, to, least))
            to++;
        else
            break;
    }
    *first = from;
    *last = to;
    return true;
}

size_t darn_source_indent(const struct darn_source *source, unsigned line)
{
    return strspn(source->rows[line].text, " \t");
}

static const char *put(struct darn_source *source, const char *old, unsigned like, const char *text)
{
    while (source->rows[like].directive && like < source->count)
        like++;
    return darn_pool_format(&source->pool, "%s%.*s%s\n", old ? old : "",
                            (int)darn_source_indent(source, like), source->rows[like].text, text);
}

void darn_source_put_before(struct darn_source *source, unsigned line, unsigned like,
                            const char *text)
{
    source->rows[line].before = put(source, source->rows[line].before, like, text);
}

void darn_source_put_after(struct darn_source *source, unsigned line, unsigned like,
                           const char *text)
{
    source->rows[line].after = put(source, source->rows[line].after, like, text);
}

/* Lines that each end with a line feed. */
static void print_lines(const struct darn_source *source, const char *text, FILE *out)
{
    for (; text && *text; text += strcspn(text, "\n") + 1)
        fprintf(out, "%.*s%s", (int)strcspn(text, "\n"), text, source->has_returns ? "\r\n" : "\n");
}

char *darn_source_render(struct darn_source *source)
{
    char *text = NULL, *kept;
    size_t length = 0;
    FILE *out = darn_need_memory(open_memstream(&text, &length));

    for (unsigned i = 1; i <= source->count; i++) {
        const struct darn_source_row *row = &source->rows[i];
        bool is_end = i == source->count && source->is_cut && !row->after;

        print_lines(source, row->before, out);
        if (!row->gone)
            fprintf(out, "%s%s", row->text, is_end ? "" : source->has_returns ? "\r\n" : "\n");
        print_lines(source, row->after, out);
    }
    if (fclose(out))
        darn_need_memory(NULL);
    kept = darn_pool_text(&source->pool, text);
    free(text);
    return kept;
}
