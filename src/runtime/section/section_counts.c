/* What is said about sections when the program has ended. */
#include <errno.h>
#include <stddef.h>

#include "base/text.h"
#include "runtime/os/os.h"
#include "runtime/report/tell.h"
#include "runtime/section/obeyed.h"
#include "runtime/section/rules.h"
#include "runtime/section/sections.h"
#include "runtime/state.h"

#define TEXT_SIZE (4 << 20)

static void add_counts(struct darn_text *text, const struct darn_rule *rule)
{
    for (uint32_t i = 0; i < rule->count; i++) {
        const struct darn_rule_point *point = &rule->points[i];

        if (point->role != DARN_ROLE_END || !point->seen || point->index == DARN_MATCH_NO_END)
            continue;
        darn_text_add(text, "end ");
        darn_text_number(text, rule->line);
        darn_text_char(text, ' ');
        darn_text_number(text, point->index);
        darn_text_char(text, ' ');
        darn_text_number(text, point->seen);
        darn_text_char(text, ' ');
        darn_text_number(text, point->violated);
        darn_text_char(text, '\n');
    }
}

static void write_counts(const char *path)
{
    char *room = darn_os_allocate(TEXT_SIZE);
    struct darn_text text;
    int error;

    if (!room) {
        darn_say_line("darn: sections_out: out of memory; the counts are not written");
        return;
    }
    darn_text_start(&text, room, TEXT_SIZE);
    for (const struct darn_rule *rule = darn_rules(); rule; rule = rule->next)
        add_counts(&text, rule);
    darn_text_add(&text, "done\n");
    error = text.cut ? -EFBIG : darn_os_append(path, 0, text.to, text.used);
    if (error)
        darn_say_failed("darn: sections_out: the counts cannot be written", error);
    darn_os_free(room, TEXT_SIZE);
}

void darn_sections_finish(void)
{
    if (darn_rules_are_short())
        darn_say_line("darn: sections: out of memory; not all sections were looked at");
    if (darn_state.options.sections_out[0])
        write_counts(darn_state.options.sections_out);
    else
        darn_obeyed_say_missing();
}
