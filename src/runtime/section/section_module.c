#include "runtime/section/section_module.h"

#include <stddef.h>

#include "runtime/os/os.h"
#include "runtime/section/rules_private.h"
#include "runtime/watch/sites.h"

bool darn_wanted_keep(struct darn_match_wanted *wanted, const struct darn_section *section)
{
    struct darn_section_point *points =
        darn_rules_take((section->count + 1) * sizeof(wanted->section.points[0]));

    if (!points)
        return false;
    wanted->section = darn_match_of_wanted(section, points);
    wanted->section.file = darn_rules_keep(section->file);
    wanted->section.function = darn_rules_keep(section->function);
    wanted->section.variable = darn_rules_keep(section->variable);
    wanted->section.type = section->type ? darn_rules_keep(section->type) : NULL;
    return true;
}

/* ---- sections of a module ---- */

static uint32_t collect(const struct darn_section_module *module, struct darn_match_found *found)
{
    const char *at = module->first, *end = module->last;
    uint32_t count = 0;

    while (at && at + sizeof(struct darn_section_record) <= end) {
        const struct darn_section_record *record = (const struct darn_section_record *)at;

        if (record->size < sizeof(*record) || record->version != DARN_SECTION_VERSION)
            break;
        if (found)
            found[count].section = darn_match_of_record(record);
        count++;
        at += record->size;
    }
    return count;
}

static size_t room_of(const struct darn_match *match)
{
    return match->found_count * sizeof(*match->found) +
           (match->wanted_count + 1) * sizeof(*match->wanted);
}

bool darn_wanted_open(struct darn_match *match, const struct darn_section_module *module,
                      darn_wanted_list *list)
{
    *match = (struct darn_match){.found_count = collect(module, NULL), .wanted_count = list(NULL)};
    match->found = darn_os_allocate(room_of(match));
    if (!match->found)
        return false;
    match->wanted = (struct darn_match_wanted **)(void *)(match->found + match->found_count);
    collect(module, match->found);
    list(match->wanted);
    return true;
}

void darn_wanted_close(struct darn_match *match)
{
    darn_os_free(match->found, room_of(match));
}

/* ---- accesses of a module ---- */

struct walk {
    const struct darn_section_module *module;
    const struct darn_site *at;
    struct darn_site_keys keys;
};

static void rewind_sites(void *context)
{
    struct walk *walk = context;

    walk->at = walk->module->start;
}

static bool next_site(void *context, struct darn_match_site *site)
{
    struct walk *walk = context;
    const struct darn_site *at = walk->at;

    if (at == walk->module->stop)
        return false;
    walk->at++;
    *site = (struct darn_match_site){.key = darn_site_next_key(&walk->keys, at),
                                     .file = darn_site_file(at),
                                     .function = darn_site_function(at),
                                     .variable = darn_site_variable(at),
                                     .kind = at->kind};
    return true;
}

bool darn_wanted_by_sites(struct darn_match_wanted *wanted,
                          const struct darn_section_module *module,
                          struct darn_match_section *section, struct darn_section_point *moved)
{
    struct walk walk = {.module = module};
    struct darn_match_sites sites = {rewind_sites, next_site, &walk};
    uint64_t key;

    if (wanted->how != DARN_MATCH_NONE)
        return false;
    *section = wanted->section;
    wanted->how = darn_match_by_sites(section, &sites, &key);
    if (key) { /* a race has one point */
        *moved = *section->entry;
        moved->key = key;
        section->points = section->entry = moved;
    }
    return wanted->how != DARN_MATCH_NONE;
}
