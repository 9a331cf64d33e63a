#include "report/fix/fix_source.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report/text/source.h"

#define CONTEXT 3
#define MOST    (16u << 20) /* bytes of a file */

/* What the text before has left open. */
struct scan {
    int depth, parens;
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

static void scan_row(struct scan *scan, struct darn_source_row *row)
{
    const char *first = row->text + strspn(row->text, " \t");
    size_t length = strlen(row->text);

    row->start = row->least = scan->depth;
    row->directive = scan->continues || (!scan->in_comment && *first == '#');
    scan->continues = row->directive && length && row->text[length - 1] == '\\';
    if (!row->directive)
        scan_code(scan, row);
    row->end = scan->depth;
    row->parens = scan->parens;
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = NULL, piece[16384];
    size_t length = 0, got;
    FILE *to = file ? open_memstream(&text, &length) : NULL;

    while (to && (got = fread(piece, 1, sizeof(piece), file)) > 0 && (size_t)ftell(to) < MOST)
        fwrite(piece, 1, got, to);
    if (to)
        fclose(to);
    if (file)
        fclose(file);
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

bool darn_source_load(struct darn_source *source, const char *dir, const char *file)
{
    struct scan scan = {0};
    char *text;

    *source = (struct darn_source){.file = NULL};
    source->file = darn_pool_text(&source->pool, file);
    source->dir = darn_pool_text(&source->pool, dir);
    text = read_file(dir && file[0] != '/' ? darn_pool_format(&source->pool, "%s/%s", dir, file)
                                           : file);
    if (!text)
        return false;
    source->count = count_lines(text);
    source->rows = darn_pool_get(&source->pool, source->count + 2, sizeof(*source->rows));
    for (unsigned i = 1; i <= source->count; i++) {
        const char *from = i == 1 ? text : source->rows[0].text;
        size_t length = strcspn(from, "\n");

        source->rows[i].text = darn_pool_part(&source->pool, from, length);
        source->rows[0].text = from + length + 1; /* where the next one begins */
        scan_row(&scan, &source->rows[i]);
    }
    source->rows[0].text = "";
    free(text);
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

static int least_of(const struct darn_source *source, unsigned first, unsigned last)
{
    int least = source->rows[first].least;

    for (unsigned i = first; i <= last; i++)
        if (source->rows[i].least < least)
            least = source->rows[i].least;
    return least;
}

bool darn_source_widen(const struct darn_source *source, unsigned *first, unsigned *last)
{
    unsigned from = *first, to = *last;

    if (!from || from > to || to > source->count)
        return false;
    for (;;) {
        int least = least_of(source, from, to);

        if (least < 1 || from < 2 || to >= source->count)
            return false;
        if (source->rows[from].start > least || !darn_source_begins(source, from))
            from--;
        else if (source->rows[to].end > least || !ends_with(source, to))
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

char *darn_source_path(const struct darn_source *source)
{
    bool is_whole = source->file[0] == '/' || !source->dir;
    char *joined = NULL, *path;

    if (is_whole)
        return realpath(source->file, NULL);
    if (asprintf(&joined, "%s/%s", source->dir, source->file) < 0)
        return NULL;
    path = realpath(joined, NULL);
    free(joined);
    return path;
}

void darn_source_write(const struct darn_source *source, FILE *out)
{
    for (unsigned i = 1; i <= source->count; i++) {
        const struct darn_source_row *row = &source->rows[i];

        fputs(row->before ? row->before : "", out);
        if (!row->gone)
            fprintf(out, "%s\n", row->text);
        fputs(row->after ? row->after : "", out);
    }
}

/* ---- the diff ---- */

static bool is_changed(const struct darn_source_row *row)
{
    return row->gone || row->before || row->after;
}

static unsigned lines_of(const char *text)
{
    return text ? count_lines(text) : 0;
}

/* The next line from `line` on that is changed; 0: there is none. */
static unsigned next_change(const struct darn_source *source, unsigned line)
{
    for (; line <= source->count; line++)
        if (is_changed(&source->rows[line]))
            return line;
    return 0;
}

/* Names and texts come from elsewhere: a terminal shall not obey them. */
static void print_line(FILE *out, char mark, const char *text, size_t length)
{
    fputc(mark, out);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];

        fputc((c < ' ' && c != '\t') || c == 127 ? '?' : c, out);
    }
    fputc('\n', out);
}

static void print_added(FILE *out, const char *text)
{
    while (text && *text) {
        size_t length = strcspn(text, "\n");

        print_line(out, '+', text, length);
        text += length + (text[length] == '\n');
    }
}

/* The hunk of the lines from `first` to `last`; `shift` is by how much those before have grown. */
static int print_hunk(const struct darn_source *source, FILE *out, unsigned first, unsigned last,
                      int shift)
{
    int grown = 0;

    for (unsigned i = first; i <= last; i++)
        grown += (int)lines_of(source->rows[i].before) + (int)lines_of(source->rows[i].after) -
                 (int)source->rows[i].gone;
    fprintf(out, "@@ -%u,%u +%d,%d @@\n", first, last - first + 1, (int)first + shift,
            (int)(last - first + 1) + grown);
    for (unsigned i = first; i <= last; i++) {
        const struct darn_source_row *row = &source->rows[i];
        size_t length = strlen(row->text);

        /* What takes the place of a line comes behind it, as in every diff. */
        if (row->gone)
            print_line(out, '-', row->text, length);
        print_added(out, row->before);
        if (!row->gone)
            print_line(out, ' ', row->text, length);
        print_added(out, row->after);
    }
    return shift + grown;
}

void darn_source_diff(const struct darn_source *source, const char *name, FILE *out)
{
    unsigned at = next_change(source, 1);
    int shift = 0;

    if (!at)
        return;
    fprintf(out, "--- a/%s\n+++ b/%s\n", name, name);
    while (at) {
        unsigned first = at > CONTEXT ? at - CONTEXT : 1, last = at, next = at;

        while (next && next <= last + 2 * CONTEXT) {
            last = next;
            next = next_change(source, last + 1);
        }
        last = last + CONTEXT < source->count ? last + CONTEXT : source->count;
        shift = print_hunk(source, out, first, last, shift);
        at = next;
    }
}
