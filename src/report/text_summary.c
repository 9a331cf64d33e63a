#include "report/text_summary.h"

#include <inttypes.h>
#include <string.h>

#include "report/ink.h"
#include "report/kinds.h"
#include "report/phrase.h"

#define MOST_NAMED 4 /* findings; a line that is too long is not read */

/* Whether an earlier finding has the kind of this one. */
static bool was_counted(const struct darn_summary *summary, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(summary->items[i].kind, summary->items[index].kind) == 0)
            return true;
    return false;
}

static uint64_t count_kind(const struct darn_summary *summary, const char *kind)
{
    uint64_t count = 0;

    for (size_t i = 0; i < summary->item_count; i++)
        count += strcmp(summary->items[i].kind, kind) == 0;
    return count;
}

/* "2 data races, 1 deadlock" */
static void say_kinds(struct darn_ink *ink, const struct darn_summary *summary)
{
    const char *between = "";

    if (summary->item_count == 0)
        darn_say(ink, "nothing found");
    for (size_t i = 0; i < summary->item_count; i++) {
        const char *kind = summary->items[i].kind;
        uint64_t count;

        if (was_counted(summary, i))
            continue;
        count = count_kind(summary, kind);
        darn_say(ink, "%s%" PRIu64 " %s", between, count, darn_kind_words(kind, count));
        between = ", ";
    }
}

/* "bank.c:12 deposit 'acct->balance'" */
static void say_item(struct darn_ink *ink, const struct darn_summary_item *item,
                     const struct darn_style *style)
{
    const char *between = darn_phrase_position(ink, style, item->file, item->line, 0) ? " " : "";

    if (item->function) {
        darn_say(ink, "%s%s", between, item->function);
        between = " ";
    }
    if (item->variable)
        darn_say(ink, "%s'%s'", between, item->variable);
    else if (!item->file && !item->function)
        darn_say(ink, "%s", item->id);
}

static void say_items(struct darn_ink *ink, const struct darn_summary *summary,
                      const struct darn_style *style)
{
    size_t named = summary->item_count > MOST_NAMED ? MOST_NAMED : summary->item_count;

    for (size_t i = 0; i < named; i++) {
        darn_say(ink, i ? ", " : " (");
        say_item(ink, &summary->items[i], style);
    }
    if (summary->item_count > named)
        darn_say(ink, " and %zu more", summary->item_count - named);
    darn_say(ink, named ? ")" : "");
}

static uint64_t count_all(const struct darn_summary *summary)
{
    uint64_t count = 0;

    for (size_t i = 0; i < summary->item_count; i++)
        count += summary->items[i].count;
    return count;
}

void darn_text_summary(FILE *out, const struct darn_summary *summary,
                       const struct darn_style *style)
{
    struct darn_ink ink = {out, style->color};
    uint64_t count = count_all(summary);

    darn_say_in(&ink, DARN_TINT_BOLD, "SUMMARY: darn: ");
    say_kinds(&ink, summary);
    say_items(&ink, summary, style);
    if (count == 1)
        darn_say(&ink, ", seen once");
    else if (count)
        darn_say(&ink, ", seen %" PRIu64 " times", count);
    if (summary->suppressed)
        darn_say(&ink, "; %" PRIu64 " suppressed", summary->suppressed);
    darn_say(&ink, "\n");
}
