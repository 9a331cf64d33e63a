/* The values of a race: what the memory held, and what the threads were about to write. */
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

/* Whether what the access writes was made from what it had read there, as far as the source tells:
 * the column is that of the operator. */
static bool is_update(const struct darn_finding *finding, const struct darn_finding_access *access)
{
    char *line;
    bool updates;

    if (access->op == DARN_OP_UPDATE)
        return true;
    line = access->op == DARN_OP_WRITE && access->file && access->column
               ? darn_source_line(access->dir, access->file, access->line)
               : NULL;
    if (!line || strlen(line) < access->column) {
        free(line);
        return false;
    }
    updates = is_update_operator(line + access->column - 1) ||
              (line[access->column - 1] == '=' && finding->variable &&
               strstr(line + access->column, finding->variable));
    free(line);
    return updates;
}

/* Both have read the same, and one of the two changes is lost. */
static bool is_lost_update(const struct darn_finding *finding)
{
    return finding->access_count == 2 && is_update(finding, &finding->accesses[0]) &&
           is_update(finding, &finding->accesses[1]);
}

/* "both threads write the same value, 110 (it was 100 before, and 130 after)" */
static void say_same(struct darn_page *page)
{
    const struct darn_finding *finding = page->finding;
    struct darn_value written = {false, 0};
    bool is_lost = is_lost_update(finding);
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
    bool intended = false;

    if (darn_violation_is_whole(finding)) {
        darn_page_violation_values(page);
        return;
    }
    for (size_t i = 0; i < finding->access_count; i++)
        intended |= finding->accesses[i].value.known;
    if (finding->same_value)
        say_same(page);
    else if (finding->before.known && finding->after.known &&
             finding->before.bits != finding->after.bits)
        say_change(page);
    else if (intended)
        say_intentions(page);
}
