#include "runtime/section/obeyed.h"

#include <stddef.h>

#include "runtime/report/tell.h"
#include "runtime/section/rules_private.h"
#include "runtime/state.h"

/* So many sections that the program does not have are named. */
#define NAMED 10

/* One of the repository. */
struct obeyed {
    struct darn_match_wanted wanted; /* first: what the matcher tells of is one of these */
    uint32_t line;                   /* in the repository */
    bool is_idle;                    /* nothing can violate it */
    struct obeyed *next;
};

static struct obeyed *list, **last = &list;

static bool is_idle(const struct darn_section *section)
{
    if (section->first)
        return section->has_allow && section->allow == DARN_ALLOW_ALL;
    for (uint32_t i = 0; i < section->count; i++) {
        if (section->points[i].role == DARN_ROLE_END && section->points[i].allow != DARN_ALLOW_ALL)
            return false;
    }
    return true;
}

static bool keep_section(void *unused, const struct darn_section *section)
{
    struct obeyed *obeyed = darn_rules_take(sizeof(*obeyed));

    (void)unused;
    if (darn_section_is_of_accesses(section->kind)) /* of interest to healing alone */
        return true;
    if (!obeyed || !darn_wanted_keep(&obeyed->wanted, section))
        return true;
    obeyed->line = section->position;
    obeyed->is_idle = is_idle(section);
    *last = obeyed;
    last = &obeyed->next;
    return true;
}

int darn_obeyed_load(const char *path)
{
    return darn_rules_read(path, keep_section);
}

static uint32_t list_obeyed(struct darn_match_wanted **to)
{
    uint32_t count = 0;

    for (struct obeyed *obeyed = list; obeyed; obeyed = obeyed->next) {
        if (to)
            to[count] = &obeyed->wanted;
        count++;
    }
    return count;
}

/* A section over lines means some of the compiler's: they have names, it has a part of one. */
static void add_rule(struct obeyed *obeyed, const struct darn_match_section *section)
{
    bool is_lines = obeyed->wanted.section.first;
    struct darn_rule like = {.variable = is_lines ? darn_rules_keep(section->variable)
                                                  : obeyed->wanted.section.variable,
                             .line = obeyed->line,
                             .kind = is_lines ? DARN_SECTION_HAND : obeyed->wanted.section.kind};
    struct darn_rule *rule =
        obeyed->is_idle ? NULL : darn_rules_make(&like, &obeyed->wanted, section);

    if (rule)
        darn_rules_add(rule);
}

static void add_meant(void *unused, struct darn_match_wanted *wanted,
                      const struct darn_match_found *found)
{
    (void)unused;
    add_rule((struct obeyed *)wanted, &found->section);
}

void darn_obeyed_resolve(const struct darn_section_module *module)
{
    struct darn_match match;

    if (!list || !darn_wanted_open(&match, module, list_obeyed))
        return;
    match.meant = add_meant;
    darn_match_module(&match);
    darn_wanted_close(&match);
    for (struct obeyed *obeyed = list; obeyed; obeyed = obeyed->next) {
        struct darn_match_section section;
        struct darn_section_point moved;

        if (darn_wanted_by_sites(&obeyed->wanted, module, &section, &moved))
            add_rule(obeyed, &section);
    }
}

/* ---- what the program does not have ---- */

static void say_missing(const struct obeyed *obeyed)
{
    const struct darn_match_section *section = &obeyed->wanted.section;
    struct darn_say say;

    darn_say_start(&say);
    darn_say_text(&say, "darn: ");
    darn_say_text(&say, darn_state.options.sections);
    darn_say_text(&say, ":");
    darn_say_number(&say, obeyed->line);
    if (section->first) {
        darn_say_text(&say, ": no two accesses to '");
        darn_say_text(&say, section->variable);
        darn_say_text(&say, "' that follow each other in lines ");
        darn_say_number(&say, section->first);
        darn_say_text(&say, " to ");
        darn_say_number(&say, section->last);
        darn_say_text(&say, " of ");
        darn_say_text(&say, section->file);
    } else {
        darn_say_text(&say, ": the section over '");
        darn_say_text(&say, section->variable);
        darn_say_text(&say, "' in ");
        darn_say_text(&say, section->function);
        darn_say_text(&say, " (");
        darn_say_text(&say, section->file);
        darn_say_text(&say, ") does not begin where the repository says; see darn sections check");
    }
    darn_say_end(&say);
}

void darn_obeyed_say_missing(void)
{
    uint32_t missing = 0;
    struct darn_say say;

    for (const struct obeyed *obeyed = list; obeyed; obeyed = obeyed->next) {
        if (obeyed->wanted.how == DARN_MATCH_NONE && !obeyed->is_idle && missing++ < NAMED)
            say_missing(obeyed);
    }
    if (missing <= NAMED)
        return;
    darn_say_start(&say);
    darn_say_text(&say, "darn: and ");
    darn_say_number(&say, missing - NAMED);
    darn_say_text(&say, " more sections that this program does not have");
    darn_say_end(&say);
}
