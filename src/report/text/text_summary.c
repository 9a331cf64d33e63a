#include "report/text/text_summary.h"

#include <inttypes.h>
#include <string.h>

#include "report/report_kinds.h"
#include "report/text/ink.h"
#include "report/text/phrase.h"

#define MOST_NAMED 4 /* findings; a line that is too long is not read */

static bool is_predicted(const struct darn_summary_item *item)
{
    return item->certainty && strcmp(item->certainty, "predicted") == 0;
}

/* `possible`, `confirmed`, or nothing of what was just seen; with a blank. */
static const char *how_certain(const struct darn_summary_item *item)
{
    if (is_predicted(item))
        return "possible ";
    return item->certainty && strcmp(item->certainty, "confirmed") == 0 ? "confirmed " : "";
}

/* What could happen is not counted together with what has happened. */
static bool is_alike(const struct darn_summary_item *a, const struct darn_summary_item *b)
{
    return strcmp(a->kind, b->kind) == 0 && strcmp(how_certain(a), how_certain(b)) == 0;
}

/* Whether one like this comes before it. */
static bool was_counted(const struct darn_summary *summary, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (is_alike(&summary->items[i], &summary->items[index]))
            return true;
    return false;
}

static uint64_t count_alike(const struct darn_summary *summary,
                            const struct darn_summary_item *item)
{
    uint64_t count = 0;

    for (size_t i = 0; i < summary->item_count; i++)
        count += is_alike(&summary->items[i], item);
    return count;
}

/* "2 data races, 1 possible deadlock, 1 confirmed failure" */
static void say_kinds(struct darn_ink *ink, const struct darn_summary *summary)
{
    const char *between = "";

    if (summary->item_count == 0)
        darn_say(ink, "nothing found%s%s", summary->scope ? " in " : "",
                 summary->scope ? summary->scope : "");
    for (size_t i = 0; i < summary->item_count; i++) {
        const struct darn_summary_item *item = &summary->items[i];
        uint64_t count;

        if (was_counted(summary, i))
            continue;
        count = count_alike(summary, item);
        darn_say(ink, "%s%" PRIu64 " %s%s", between, count, how_certain(item),
                 darn_kind_words(item->kind, count));
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

/* How often something really happened. */
static uint64_t count_seen(const struct darn_summary *summary)
{
    uint64_t count = 0;

    for (size_t i = 0; i < summary->item_count; i++)
        count += is_predicted(&summary->items[i]) ? 0 : summary->items[i].count;
    return count;
}

void darn_text_summary(FILE *out, const struct darn_summary *summary,
                       const struct darn_style *style)
{
    struct darn_ink ink = {out, style->color};
    uint64_t count = count_seen(summary);

    darn_say_in(&ink, DARN_TINT_BOLD, "SUMMARY: darn: ");
    say_kinds(&ink, summary);
    say_items(&ink, summary, style);
    if (count == 1)
        darn_say(&ink, ", seen once");
    else if (count)
        darn_say(&ink, ", seen %" PRIu64 " times", count);
    if (summary->variants)
        darn_say(&ink, "; %" PRIu64 " variant%s", summary->variants,
                 summary->variants == 1 ? "" : "s");
    if (summary->suppressed)
        darn_say(&ink, "; %" PRIu64 " suppressed", summary->suppressed);
    darn_say(&ink, "\n");
}
