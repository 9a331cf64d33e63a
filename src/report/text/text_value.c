/* The values of a race: what the memory held, and what the threads were about to write. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report/text/phrase.h"
#include "report/text/source.h"
#include "report/text/text_page.h"
#include "report/violation.h"

static void say_value(struct darn_page *page, struct darn_value value)
{
    darn_phrase_value(&page->ink, value.bits, page->finding->size);
}

/* "100 became 110 while T1 stood before its write of 120" */
static void say_change(struct darn_page *page)
{
    const struct darn_finding *finding = page->finding;
    const struct darn_finding_access *first = &finding->accesses[0];
    struct darn_ink *ink = &page->ink;

    darn_page_label(page, "value:");
    say_value(page, finding->before);
    darn_say(ink, " became ");
    say_value(page, finding->after);
    darn_say(ink, " while %s stood before its %s", darn_phrase_short(first->thread),
             first->assertion ? "assertion" : darn_op_name(first->op));
    if (first->value.known) {
        darn_say(ink, " of ");
        say_value(page, first->value);
    }
    if (finding->unknown_origin)
        darn_say(ink, ", and no instrumented code was seen writing it: the writer was probably not "
                      "compiled by darn");
    darn_say(ink, "\n");
}

/* Whether the text begins with an operator that changes what was there: `+=`, `++`, `<<=`. */
static bool is_update_operator(const char *text)
{
    static const char *const operators[] = {
        "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};

    for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
        if (strncmp(text, operators[i], strlen(operators[i])) == 0)
            return true;
    return false;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Whether the text has this name, and not as a part of another one. */
static bool has_name(const char *text, const char *name, size_t length)
{
    for (const char *at = text; length && (at = strstr(at, name)); at++)
        if (!(is_word(*name) && at > text && (is_word(at[-1]) || strchr(".>", at[-1]))) &&
            !is_word(at[length]))
            return true;
    return false;
}

/* `account->balance = account->balance + 10`: what stands on the left of the `=` at `column` (from
 * 0) is there on the right, too. */
static bool reads_what_it_writes(const char *line, size_t column)
{
    size_t end = column, start;
    char *name;
    bool reads;

    while (end && line[end - 1] == ' ')
        end--;
    for (start = end; start && !strchr(" \t;{}(),=", line[start - 1]); start--)
        ;
    name = strndup(line + start, end - start);
    reads = name && has_name(line + column + 1, name, end - start);
    free(name);
    return reads;
}

/* `= 1;`, `= NULL;`: no other thread has had a part in such a value. */
static bool is_constant(const char *text)
{
    static const char *const names[] = {"true", "false", "NULL", "nullptr"};
    size_t length = 0;

    if (*text++ != '=')
        return false;
    text += strspn(text, " -");
    while (is_word(text[length]) || text[length] == '.')
        length++;
    if (!length || text[length + strspn(text + length, " ")] != ';')
        return false;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strlen(names[i]) == length && strncmp(names[i], text, length) == 0)
            return true;
    return isdigit((unsigned char)*text);
}

/* What the source tells of the value that an access writes. */
enum origin { UNKNOWN, CONSTANT, UPDATED /* made from what was there */ };

/* The column of a write is that of its operator. */
static enum origin origin_in(const char *line, size_t column)
{
    if (is_update_operator(line + column))
        return UPDATED;
    if (is_constant(line + column))
        return CONSTANT;
    return line[column] == '=' && reads_what_it_writes(line, column) ? UPDATED : UNKNOWN;
}

static enum origin origin_of(const struct darn_finding_access *access)
{
    enum origin origin = UNKNOWN;
    char *line;

    if (access->op == DARN_OP_UPDATE)
        return UPDATED;
    line = access->op == DARN_OP_WRITE && access->file && access->column
               ? darn_source_line(access->dir, access->file, access->line)
               : NULL;
    if (line && strlen(line) >= access->column)
        origin = origin_in(line, access->column - 1);
    free(line);
    return origin;
}

/* The same on both sides, or UNKNOWN. */
static enum origin common_origin(const struct darn_finding *finding)
{
    enum origin origin = origin_of(&finding->accesses[0]);

    return finding->access_count == 2 && origin_of(&finding->accesses[1]) == origin ? origin
                                                                                    : UNKNOWN;
}

/* "both threads write the same value, 110 (it was 100 before, and 130 after)". Where both have read
 * the same before, one of the two changes is lost. */
static void say_same(struct darn_page *page, bool is_lost)
{
    const struct darn_finding *finding = page->finding;
    struct darn_value written = {false, 0};
    struct darn_ink *ink = &page->ink;

    for (size_t i = 0; i < finding->access_count && !written.known; i++)
        written = finding->accesses[i].value;
    darn_page_label(page, "value:");
    darn_say(ink, is_lost ? "both threads change what they have read, and one change is lost"
                          : "both threads write the same value");
    if (written.known) {
        darn_say(ink, is_lost ? ": both write " : ", ");
        say_value(page, written);
    }
    if (finding->before.known) {
        darn_say(ink, " (it was ");
        say_value(page, finding->before);
        darn_say(ink, " before");
        if (finding->after.known && finding->after.bits != finding->before.bits &&
            finding->after.bits != written.bits) {
            darn_say(ink, ", and ");
            say_value(page, finding->after);
            darn_say(ink, " after");
        }
        darn_say(ink, ")");
    }
    darn_say(ink, "\n");
}

/* "100; T1 is about to write 110, T2 120" */
static void say_intentions(struct darn_page *page)
{
    const struct darn_finding *finding = page->finding;
    struct darn_ink *ink = &page->ink;
    const char *between = "";

    darn_page_label(page, "value:");
    if (finding->before.known) {
        say_value(page, finding->before);
        between = "; ";
    }
    for (size_t i = 0; i < finding->access_count; i++) {
        const struct darn_finding_access *access = &finding->accesses[i];

        if (!access->value.known)
            continue;
        darn_say(ink, "%s%s is about to write ", between, darn_phrase_short(access->thread));
        say_value(page, access->value);
        between = ", ";
    }
    darn_say(ink, "\n");
}

void darn_page_values(struct darn_page *page)
{
    const struct darn_finding *finding = page->finding;
    enum origin origin = finding->same_value ? common_origin(finding) : UNKNOWN;
    bool intended = false;

    if (darn_violation_is_whole(finding)) {
        darn_page_violation_values(page);
        return;
    }
    for (size_t i = 0; i < finding->access_count; i++)
        intended |= finding->accesses[i].value.known;
    /* Of a value that nobody can say it of, it would be no comfort that it is the same: `a = t`. */
    if (origin != UNKNOWN)
        say_same(page, origin == UPDATED);
    else if (finding->before.known && finding->after.known &&
             finding->before.bits != finding->after.bits)
        say_change(page);
    else if (intended)
        say_intentions(page);
}
