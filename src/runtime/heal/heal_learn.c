/*
 * Healing what is found by watching: from the first finding on, and as a repository for later runs.
 *
 * Two accesses that race are healed by the sections of the compiler that they are in; one that is
 * in none becomes a section of its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>

#include "runtime/heal/cures.h"
#include "runtime/heal/heal.h"
#include "runtime/os/os.h"
#include "runtime/report/tell.h"
#include "runtime/section/rules_private.h"
#include "runtime/state.h"
#include "runtime/watch/sites.h"

#define TEXT_SIZE (4 << 20)

/* Room for one section; protected by darn_rules_lock. */
static struct darn_section section;

static const struct darn_site *site_of(const struct darn_section_module *module, uint64_t key)
{
    for (const struct darn_site *site = module->start; site < module->stop; site++) {
        if (darn_site_key(site) == key)
            return site;
    }
    return NULL;
}

static void add_point(const struct darn_site *site, uint8_t role, uint8_t allow, uint32_t at)
{
    section.points[section.count++] =
        (struct darn_point){.file = darn_rules_keep(darn_site_file(site)),
                            .function = darn_rules_keep(darn_site_function(site)),
                            .line = site->line,
                            .column = site->column,
                            .at = at,
                            .role = role,
                            .kind = site->kind,
                            .allow = allow};
}

static void begin_section(const char *variable, const char *function, const char *file,
                          uint8_t kind)
{
    memset(&section, 0, offsetof(struct darn_section, points));
    section.variable =
        darn_rules_keep(variable); /* it is written at the end: the module may be gone */
    section.function = darn_rules_keep(function);
    section.file = darn_rules_keep(file);
    section.kind = kind;
}

/* The record as the repository would have it; false: one of its sites is not there. */
static bool take_record(const struct darn_section_module *module,
                        const struct darn_section_record *record)
{
    begin_section(darn_site_string(&record->variable), darn_site_string(&record->function),
                  darn_site_string(&record->file), record->kind);
    section.inside = record->inside;
    for (uint32_t i = 0; i < record->count; i++) {
        const struct darn_section_point *point = &record->points[i];
        const struct darn_site *site = site_of(module, point->key);

        if (!site)
            return false;
        add_point(site, point->role, point->allow, point->line);
    }
    return true;
}

static bool has_point(const struct darn_section_record *record, uint64_t key)
{
    for (uint32_t i = 0; i < record->count; i++) {
        if (record->points[i].role <= DARN_ROLE_END && record->points[i].key == key)
            return true;
    }
    return false;
}

static const struct darn_section_module *module_of(const struct darn_site *site)
{
    for (const struct darn_section_module *module = darn_cures_modules(); module;
         module = module->next) {
        if (site >= module->start && site < module->stop)
            return module;
    }
    return NULL;
}

/* A shared object may be unloaded by now, and its sites are not looked into any more (sites.h). */
static bool is_there(const struct darn_section_module *module)
{
    static struct darn_site_copy copy;

    return module->start < module->stop && darn_site_copy(&copy, darn_site_number(module->start)) &&
           darn_site_copy(&copy, darn_site_number(module->stop - 1));
}

static void for_each_module(struct darn_cure *cure,
                            void (*visit)(struct darn_cure *, const struct darn_section_module *))
{
    for (const struct darn_section_module *module = darn_cures_modules(); module;
         module = module->next) {
        if (is_there(module))
            visit(cure, module);
    }
}

static void place(struct darn_cure *cure, const struct darn_section_module *module)
{
    for (struct darn_rule *rule = darn_rules(); rule; rule = rule->next) {
        if (rule->cure == cure)
            darn_rules_place(rule, module->start, module->stop);
    }
}

static void arm(struct darn_cure *cure, const struct darn_section_module *module)
{
    (void)cure;
    darn_cures_arm(module->start, module->stop);
}

struct darn_cure *darn_heal_adopt(const struct darn_section *added)
{
    struct darn_cure *cure = darn_cures_add(added);

    if (!cure)
        return NULL;
    for_each_module(cure, darn_cures_resolve_one);
    for_each_module(cure, place);
    for_each_module(cure, arm);
    return cure;
}

static void add(void)
{
    struct darn_cure *cure = darn_heal_adopt(&section);

    if (!cure)
        return;
    cure->learned = true;
    cure->section = darn_rules_take(sizeof(section));
    if (cure->section)
        *cure->section = section;
}

/* Whether it is healed already; what the compiler calls a pair counts only if there is nothing
 * better. */
static bool add_records(const struct darn_section_module *module, uint64_t key, bool pairs)
{
    const char *at = module->first;
    bool any = false;

    while (at && at + sizeof(struct darn_section_record) <= (const char *)module->last) {
        const struct darn_section_record *record = (const struct darn_section_record *)at;

        if (record->size < sizeof(*record) || record->version != DARN_SECTION_VERSION)
            break;
        at += record->size;
        if ((record->kind == DARN_SECTION_PAIR) != pairs || !has_point(record, key))
            continue;
        any = true;
        if (!darn_cures_have(record) && take_record(module, record))
            add();
    }
    return any;
}

static void learn(const struct darn_site *site)
{
    const struct darn_section_module *module = module_of(site);
    uint64_t key = darn_site_key(site);

    if (!module || add_records(module, key, false) || add_records(module, key, true))
        return;
    begin_section(darn_site_variable(site), darn_site_function(site), darn_site_file(site),
                  DARN_SECTION_RACE);
    add_point(site, DARN_ROLE_ENTRY, 0, site->line);
    add();
}

void darn_heal_learn(const struct darn_site *one, const struct darn_site *other)
{
    uint64_t mask;

    if (!darn_state.options.heal_learn[0])
        return;
    mask = darn_os_block_signals();
    darn_spin_lock(&darn_rules_lock);
    if (one)
        learn(one);
    if (other && other != one)
        learn(other);
    darn_spin_unlock(&darn_rules_lock);
    darn_os_restore_signals(mask);
}

static void put_learned(struct darn_json *json)
{
    darn_repository_open(json);
    darn_json_break(json, 1);
    darn_json_open(json, "sections", '[');
    for (const struct darn_cure *cure = darn_cures(); cure; cure = cure->next) {
        if (!cure->learned || !cure->section)
            continue;
        darn_section_write(json, cure->section);
        darn_json_break(json, 1); /* of the bracket; the next section has its own */
    }
    darn_json_close(json, ']');
    darn_json_close(json, '}');
    darn_json_end_line(json);
}

void darn_heal_write_learned(void)
{
    const char *path = darn_state.options.heal_learn;
    struct darn_json json;
    char *room;
    int error;

    if (!path[0] || darn_heal_is_child)
        return;
    room = darn_os_allocate(TEXT_SIZE);
    if (!room) {
        darn_say_line("darn: heal_learn: out of memory; the repository is not written");
        return;
    }
    darn_json_start(&json, room, TEXT_SIZE);
    put_learned(&json);
    darn_os_remove(path);
    error = json.text.cut ? -EFBIG : darn_os_append(path, O_NOFOLLOW, json.text.to, json.text.used);
    if (error) {
        darn_say_failed("darn: heal_learn: the repository cannot be written", error);
        darn_os_remove(path); /* a part of it is none */
    }
    darn_os_free(room, TEXT_SIZE);
}
