/* What the text form tells about an atomicity violation besides its three accesses. */
#include "report/text/phrase.h"
#include "report/text/text_page.h"
#include "report/violation.h"

void darn_page_violation(struct darn_page *page)
{
    const struct darn_finding *finding = page->finding;
    const char *pattern = darn_violation_pattern(finding, page->style, &page->pool);
    const char *section = darn_violation_section(finding, page->style, &page->pool);

    if (pattern) {
        darn_page_label(page, "pattern:");
        darn_say(&page->ink, "%s\n", pattern);
    }
    if (section) {
        darn_page_label(page, "section:");
        darn_say(&page->ink, "%s\n", section);
    }
}

static void say_value(struct darn_page *page, struct darn_value value)
{
    darn_phrase_value(&page->ink, value.bits, page->finding->size);
}

/* The value that an access found, and the one that it wrote: as far as they are known. */
static const char *say_found(struct darn_page *page, const char *between,
                             const struct darn_access *access, struct darn_value found)
{
    struct darn_ink *ink = &page->ink;

    if (!found.known && !access->value.known)
        return between;
    darn_say(ink, "%s", between);
    if (found.known)
        say_value(page, found);
    if (access->value.known) {
        darn_say(ink, found.known ? " when " : "");
        darn_say(ink, "%s writes ", darn_phrase_short(access->thread));
        say_value(page, access->value);
    }
    darn_violation_place(ink, page->finding, page->style, access);
    return "; ";
}

/* "100 at line 40; T2 writes 110 at line 50; 110 when T1 writes 120 at line 42" */
void darn_page_violation_values(struct darn_page *page)
{
    const struct darn_finding *finding = page->finding;
    const struct darn_access *access = finding->accesses;
    bool known = finding->before.known || finding->after.known;
    const char *between = "";

    for (size_t i = 0; i < finding->access_count; i++)
        known |= access[i].value.known;
    if (!known)
        return;
    darn_page_label(page, "value:");
    between = say_found(page, between, &access[DARN_VIOLATION_ENTRY], finding->before);
    between = say_found(page, between, &access[DARN_VIOLATION_REMOTE], (struct darn_value){0});
    say_found(page, between, &access[DARN_VIOLATION_END], finding->after);
    darn_say(&page->ink, "\n");
}
