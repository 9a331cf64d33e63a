#include "report/heal/heal_fix.h"

#include "report/advice.h"
#include "report/text/ink.h"
#include "report/text/phrase.h"

static void say_range(struct darn_ink *ink, const struct darn_style *style,
                      const struct darn_fix_range *range)
{
    darn_phrase_position(ink, style, range->file, range->first, 0);
    if (range->last > range->first)
        darn_say(ink, " to %u", range->last);
}

/* Nothing is known but where the variable is used. */
static void say_ranges(struct darn_ink *ink, const struct darn_fix *fix,
                       const struct darn_style *style)
{
    darn_say(ink, "hold one lock ");
    for (size_t i = 0; i < fix->count; i++) {
        darn_say(ink, i == 0 ? "at " : i + 1 == fix->count ? " and at " : ", at ");
        say_range(ink, style, &fix->ranges[i]);
    }
    darn_say(ink, ", and wherever else '%s' is used", fix->variable);
}

void darn_fix_print(FILE *out, const struct darn_fix *fix, const struct darn_style *style)
{
    struct darn_ink ink = {out, style->color};

    darn_say_in(&ink, DARN_TINT_LABEL, "fix:");
    darn_say(&ink, " ");
    if (fix->finding)
        darn_advice(&ink, fix->finding, style);
    else
        say_ranges(&ink, fix, style);
    darn_say(&ink, "\n");
}
