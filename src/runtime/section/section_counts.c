/* What is said about sections when the program has ended. */
#include <errno.h>
#include <stddef.h>

#include "base/text.h"
#include "runtime/os/os.h"
#include "runtime/report/tell.h"
#include "runtime/section/rules.h"
#include "runtime/section/sections.h"
#include "runtime/state.h"

/* So many sections that the program does not have are named. */
#define NAMED 10

#define TEXT_SIZE (4 << 20)

static void add_counts(struct darn_text *text, const struct darn_rule *rule)
{
    for (uint32_t i = 0; i < rule->count; i++) {
        const struct darn_rule_point *point = &rule->points[i];

        if (point->role != DARN_ROLE_END || !point->seen)
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

static void say_missing(const struct darn_rule *rule)
{
    struct darn_say say;

    darn_say_start(&say);
    darn_say_text(&say, "darn: ");
    darn_say_text(&say, darn_state.options.sections);
    darn_say_text(&say, ":");
    darn_say_number(&say, rule->line);
    if (rule->first) {
        darn_say_text(&say, ": no two accesses to '");
        darn_say_text(&say, rule->variable);
        darn_say_text(&say, "' that follow each other in lines ");
        darn_say_number(&say, rule->first);
        darn_say_text(&say, " to ");
        darn_say_number(&say, rule->last);
        darn_say_text(&say, " of ");
        darn_say_text(&say, rule->file);
    } else {
        darn_say_text(&say, ": the section over '");
        darn_say_text(&say, rule->variable);
        darn_say_text(&say, "' in ");
        darn_say_text(&say, rule->function);
        darn_say_text(&say, " (");
        darn_say_text(&say, rule->file);
        darn_say_text(&say, ") does not begin where the repository says; see darn sections check");
    }
    darn_say_end(&say);
}

static void say_all_missing(void)
{
    uint32_t missing = 0;
    struct darn_say say;

    for (const struct darn_rule *rule = darn_rules(); rule; rule = rule->next) {
        if (!rule->cure && !rule->matched && missing++ < NAMED)
            say_missing(rule);
    }
    if (missing <= NAMED)
        return;
    darn_say_start(&say);
    darn_say_text(&say, "darn: and ");
    darn_say_number(&say, missing - NAMED);
    darn_say_text(&say, " more sections that this program does not have");
    darn_say_end(&say);
}

void darn_sections_finish(void)
{
    if (darn_rules_are_short())
        darn_say_line("darn: sections: out of memory; not all sections were looked at");
    if (darn_state.options.sections_out[0])
        write_counts(darn_state.options.sections_out);
    else
        say_all_missing();
}
