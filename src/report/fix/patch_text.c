#include <ctype.h>
#include <string.h>

#include "report/fix/patch_private.h"

bool darn_text_is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

const char *darn_text_word(const char *line, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = line; length && (at = strstr(at, word)); at++)
        if ((at == line || !darn_text_is_of_name(at[-1])) && !darn_text_is_of_name(at[length]))
            return at;
    return NULL;
}

const char *darn_text_last_name(struct darn_text_pool *pool, const char *expression)
{
    size_t end = strlen(expression), start;

    while (end && (expression[end - 1] == ']' || expression[end - 1] == ')')) {
        while (end && expression[end - 1] != '[' && expression[end - 1] != '(')
            end--;
        end -= end > 0;
    }
    while (end && !darn_text_is_of_name(expression[end - 1]))
        end--;
    for (start = end; start && darn_text_is_of_name(expression[start - 1]);)
        start--;
    return darn_pool_part(pool, expression + start, end - start);
}

bool darn_text_is_cxx(const char *file)
{
    const char *dot = strrchr(file, '.');

    return dot && strcmp(dot, ".c") != 0 && strcmp(dot, ".h") != 0;
}

static bool has_code(const struct darn_source_row *row)
{
    return row->last && !row->directive;
}

static unsigned code_before(const struct darn_source *source, unsigned line)
{
    while (line > 1 && !has_code(&source->rows[--line]))
        ;
    return line;
}

/* What is written before the brace that this line opens: `int main(void)`, `struct account`. */
static const char *head_of(const struct darn_source *source, unsigned line)
{
    const char *text = source->rows[line].text;

    return text[strspn(text, " \t")] == '{' ? source->rows[code_before(source, line)].text : text;
}

/* Blocks of these are no functions. */
static bool is_scope(const char *head)
{
    static const char *const words[] = {"struct", "union", "enum", "class", "namespace", "extern"};

    if (strchr(head, '('))
        return false;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (darn_text_word(head, words[i]))
            return true;
    return false;
}

unsigned darn_source_function(const struct darn_source *source, unsigned line)
{
    unsigned found = 0;
    int depth;

    if (!line || line > source->count)
        return 0;
    depth = source->rows[line].start;
    for (unsigned i = line - 1; i && depth > 0; i--) {
        const struct darn_source_row *row = &source->rows[i];

        if (!has_code(row) || row->start >= depth || row->end < depth)
            continue;
        depth = row->start;
        if (is_scope(head_of(source, i)))
            break;
        found = i;
    }
    return found;
}

unsigned darn_source_function_end(const struct darn_source *source, unsigned first)
{
    unsigned line = first;

    while (line < source->count &&
           (line == first || source->rows[line].end > source->rows[first].start))
        line++;
    return line;
}

/* `#endif`, `#else` and `#elif` begin so. */
static bool is_directive(const struct darn_source *source, unsigned line, const char *word)
{
    const char *text = source->rows[line].text;

    if (!source->rows[line].directive)
        return false;
    text += strspn(text, " \t#");
    return strncmp(text, word, strlen(word)) == 0;
}

/* An attribute under a condition belongs to what comes behind the #endif. */
static unsigned before_attribute(const struct darn_source *source, unsigned line)
{
    const struct darn_source_row *rows = source->rows;
    unsigned at = line - 1;

    if (line < 3 || !is_directive(source, at, "endif") || !rows[at - 1].last ||
        rows[at - 1].directive || strchr(";}", rows[at - 1].last))
        return line;
    do
        at--;
    while (at > 1 &&
           (rows[at].conditions > rows[line - 1].conditions || is_directive(source, at, "el")));
    return is_directive(source, at, "if") ? at : line;
}

unsigned darn_source_before_function(const struct darn_source *source, unsigned line)
{
    while (line > 1 && source->rows[line].start > 0)
        line--;
    while (line > 1 && source->rows[line - 1].text[strspn(source->rows[line - 1].text, " \t")] &&
           !source->rows[line - 1].directive && source->rows[line - 1].start == 0 &&
           !(source->rows[line - 1].last && strchr(";}", source->rows[line - 1].last)))
        line--;
    return before_attribute(source, line);
}

bool darn_source_mentions(const struct darn_source *source, const char *text)
{
    for (unsigned i = 1; i <= source->count; i++)
        if (strstr(source->rows[i].text, text))
            return true;
    return false;
}

void darn_source_include(struct darn_source *source, const char *header)
{
    unsigned line = 1;

    if (darn_source_mentions(source, header))
        return;
    for (unsigned i = source->count; i; i--)
        if (source->rows[i].directive && strstr(source->rows[i].text, "include"))
            line = i;
    source->rows[line].before =
        darn_pool_format(&source->pool, "#include %s\n%s", header,
                         source->rows[line].before ? source->rows[line].before : "");
}

void darn_source_replace(struct darn_source *source, unsigned line, const char *text)
{
    struct darn_source_row *row = &source->rows[line];

    row->gone = true;
    row->before = darn_pool_format(&source->pool, "%s%s\n", row->before ? row->before : "", text);
}

/* The text of the lines, which go. */
static const char *take_out(struct darn_source *source, unsigned first, unsigned last)
{
    const char *text = "";

    for (unsigned i = first; i <= last; i++) {
        text = darn_pool_format(&source->pool, "%s%s\n", text, source->rows[i].text);
        source->rows[i].gone = true;
    }
    return text;
}

void darn_source_move_before(struct darn_source *source, unsigned first, unsigned last,
                             unsigned line)
{
    struct darn_source_row *row = &source->rows[line];
    const char *text = take_out(source, first, last);

    row->before = darn_pool_format(&source->pool, "%s%s", row->before ? row->before : "", text);
}

void darn_source_move_behind(struct darn_source *source, unsigned first, unsigned last,
                             unsigned line)
{
    struct darn_source_row *row = &source->rows[line];
    const char *text = take_out(source, first, last);

    row->after = darn_pool_format(&source->pool, "%s%s", row->after ? row->after : "", text);
}
