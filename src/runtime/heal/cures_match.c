/* Which sections of a module are to be healed. */
#include <stddef.h>
#include <string.h>

#include "runtime/heal/cures.h"
#include "runtime/os/os.h"
#include "runtime/section/rules_parts.h"

/* ---- the sections of a module ---- */

/* The records of a module, and which of them somebody means for certain. */
struct records {
    const struct darn_section_record **list;
    bool *claimed;
    uint32_t count;
};

#define RECORD_ROOM (2 * sizeof(void *) + sizeof(bool))

static uint32_t collect(const char *at, const char *end, const struct darn_section_record **list)
{
    uint32_t count = 0;

    while (at && at + sizeof(struct darn_section_record) <= end) {
        const struct darn_section_record *record = (const struct darn_section_record *)at;

        if (record->size < sizeof(*record) || record->version != DARN_SECTION_VERSION)
            break;
        if (list)
            list[count] = record;
        count++;
        at += record->size;
    }
    return count;
}

static const struct darn_section_point *entry_of(const struct darn_section_record *record)
{
    for (uint32_t i = 0; i < record->count; i++) {
        if (record->points[i].role == DARN_ROLE_ENTRY)
            return &record->points[i];
    }
    return NULL;
}

static const struct darn_rule_point *wanted_at(const struct darn_cure *cure, uint64_t key,
                                               uint8_t role)
{
    for (uint32_t i = 0; i < cure->count; i++) {
        if (cure->points[i].role == role && cure->points[i].key == key)
            return &cure->points[i];
    }
    return NULL;
}

/* Entry and ends are where the repository says, and it is the same variable. */
static bool is_exact(const struct darn_cure *cure, const struct darn_section_record *record)
{
    const struct darn_section_point *entry = entry_of(record);
    uint32_t ends = 0, wanted = 0;

    if (cure->first || !entry || !wanted_at(cure, entry->key, DARN_ROLE_ENTRY) ||
        strcmp(darn_site_string(&record->variable), cure->shape.variable) != 0 ||
        strcmp(darn_site_string(&record->function), cure->shape.function) != 0 ||
        !darn_type_may_be(darn_site_string(&record->type), cure->shape.type))
        return false;
    for (uint32_t i = 0; i < record->count; i++) {
        const struct darn_section_point *point = &record->points[i];

        ends += point->role == DARN_ROLE_END && wanted_at(cure, point->key, DARN_ROLE_END) != NULL;
    }
    for (uint32_t i = 0; i < cure->count; i++)
        wanted += cure->points[i].role == DARN_ROLE_END;
    return wanted && ends == wanted;
}

static uint8_t bits_of(uint8_t kind)
{
    return kind == DARN_SITE_READ    ? DARN_ALLOW_READ
           : kind == DARN_SITE_WRITE ? DARN_ALLOW_WRITE
                                     : DARN_ALLOW_ALL;
}

/* What the section does, and what all of its ends allow others to do meanwhile. */
void darn_cures_sum_up(struct darn_rule *rule)
{
    rule->allows = DARN_ALLOW_ALL;
    for (uint32_t i = 0; i < rule->count; i++) {
        const struct darn_rule_point *point = &rule->points[i];

        if (point->role <= DARN_ROLE_END)
            rule->ops |= bits_of(point->kind);
        if (point->role == DARN_ROLE_END)
            rule->allows &= point->allow;
    }
    if (rule->kind == DARN_SECTION_RACE)
        rule->allows = rule->ops == DARN_ALLOW_READ ? DARN_ALLOW_READ : 0;
}

struct darn_rule *darn_cures_rule(struct darn_cure *cure, uint32_t points)
{
    struct darn_rule *rule = darn_rules_new(points);
    struct darn_rule_point *room = rule ? rule->points : NULL;

    if (!rule)
        return NULL;
    *rule = (struct darn_rule){.variable = cure->shape.variable,
                               .file = cure->shape.file,
                               .function = cure->shape.function,
                               .line = cure->line,
                               .kind = cure->shape.kind,
                               .inside = cure->inside,
                               .with = cure->with,
                               .cure = cure,
                               .points = room};
    return rule;
}

/* The repository may allow more or less than the compiler has found out. */
static uint8_t allow_of(const struct darn_cure *cure, const struct darn_section_point *point)
{
    const struct darn_rule_point *end = wanted_at(cure, point->key, DARN_ROLE_END);
    bool within = point->line >= cure->first && point->line <= cure->last;

    if (cure->first)
        return !within ? DARN_ALLOW_ALL : cure->has_allow ? cure->allow : point->allow;
    return end ? end->allow : point->allow;
}

/* The same function may be compiled into several parts of the program. */
static bool is_known(const struct darn_cure *cure, const struct darn_section_record *record)
{
    const struct darn_section_point *entry = entry_of(record);

    for (const struct darn_rule *rule = darn_rules(); rule; rule = rule->next) {
        if (rule->cure != cure || !entry)
            continue;
        for (uint32_t i = 0; i < rule->count; i++) {
            if (rule->points[i].role == DARN_ROLE_ENTRY && rule->points[i].key == entry->key)
                return true;
        }
    }
    return false;
}

static struct darn_rule *add_rule(struct darn_cure *cure, const struct darn_section_record *record)
{
    struct darn_rule *rule = is_known(cure, record) ? NULL : darn_cures_rule(cure, record->count);

    if (!rule)
        return NULL;
    rule->function = darn_rules_keep(darn_site_string(&record->function));
    rule->kind = record->kind;
    rule->inside = record->inside;
    rule->with = darn_cures_way(record->inside);
    for (uint32_t i = 0; i < record->count; i++) {
        const struct darn_section_point *from = &record->points[i];
        struct darn_rule_point point = {
            .key = from->key, .role = from->role, .kind = from->kind, .at = from->line};

        if (point.role == DARN_ROLE_END)
            point.allow = allow_of(cure, from);
        darn_rules_add_point(rule, &point);
    }
    darn_cures_sum_up(rule);
    darn_rules_add(rule);
    return rule;
}

/* The section that the cure means. */
static void add_record(struct darn_cure *cure, const struct darn_section_record *record,
                       uint8_t match)
{
    if (match > cure->match)
        cure->match = match;
    cure->why = NULL;
    if (!add_rule(cure, record))
        return;
    cure->inside = record->inside;
    cure->with = darn_cures_way(record->inside);
}

/* ---- sections over lines ---- */

static bool is_in_lines(const struct darn_cure *cure, const struct darn_section_record *record)
{
    const struct darn_section_point *entry = entry_of(record);
    bool has_end = false;

    if (!entry || entry->line < cure->first || entry->line > cure->last ||
        !darn_section_means_file(darn_site_string(&record->file), cure->shape.file) ||
        !darn_section_means(darn_site_string(&record->variable), cure->shape.variable))
        return false;
    for (uint32_t i = 0; i < record->count; i++) {
        const struct darn_section_point *point = &record->points[i];

        has_end |=
            point->role == DARN_ROLE_END && point->line >= cure->first && point->line <= cure->last;
    }
    return has_end;
}

/* ---- sections that have moved ---- */

/* How many of the records not claimed have the shape; those before `line` are counted, too. */
static uint32_t count_shape(const struct records *records, const struct darn_shape *shape,
                            uint32_t line, uint32_t *before)
{
    uint32_t count = 0;
    uint64_t last = 0;

    *before = 0;
    for (uint32_t i = 0; i < records->count; i++) {
        const struct darn_section_point *entry = entry_of(records->list[i]);
        struct darn_shape found = darn_shape_of_record(records->list[i]);

        if (records->claimed[i] || !entry || entry->key == last || !darn_shape_means(shape, &found))
            continue;
        last = entry->key;
        *before += entry->line < line;
        count++;
    }
    return count;
}

/* The same among those who look for it. */
static uint32_t count_wanted(const struct darn_cure *cure, uint32_t *before)
{
    uint32_t count = 0;

    *before = 0;
    for (const struct darn_cure *other = darn_cures(); other; other = other->next) {
        if (other->match != DARN_CURE_NONE || other->first ||
            !darn_shape_means(&cure->shape, &other->shape))
            continue;
        *before += other->entry_line < cure->entry_line;
        count++;
    }
    return count;
}

/* One that the repository has elsewhere, or that has no place there. */
static void find_moved(struct darn_cure *cure, struct records *records, struct darn_cure **moved)
{
    uint32_t rank, place, found = count_shape(records, &cure->shape, 0, &place);

    if (!found)
        return;
    if (found != count_wanted(cure, &rank)) {
        cure->why = "the function has several sections like it, and which is meant is not clear";
        return;
    }
    for (uint32_t i = 0; i < records->count; i++) {
        const struct darn_section_point *entry = entry_of(records->list[i]);
        struct darn_shape shape = darn_shape_of_record(records->list[i]);

        if (records->claimed[i] || !entry || !darn_shape_means(&cure->shape, &shape))
            continue;
        count_shape(records, &cure->shape, entry->line, &place);
        if (place == rank)
            moved[i] = cure;
    }
}

/* ---- what goes on where a section ends ---- */

static bool ends_at(const struct darn_rule *rule, uint64_t key)
{
    for (uint32_t i = 0; i < rule->count; i++) {
        if (rule->points[i].role == DARN_ROLE_END && rule->points[i].key == key)
            return true;
    }
    return false;
}

/*
 * A value that was tested is read again, and what is computed from it is written: the use is a
 * load-and-store section that begins where the test-and-use section ends. Both belong together:
 * two threads that have tested the value must not both go on to write.
 */
static void add_chained(struct darn_rule *rule, const struct records *records)
{
    for (uint32_t i = 0; i < records->count; i++) {
        const struct darn_section_record *record = records->list[i];
        const struct darn_section_point *entry = entry_of(record);

        if (record->kind != DARN_SECTION_LOAD_STORE || !entry || !ends_at(rule, entry->key) ||
            !darn_variable_same(darn_site_string(&record->variable), rule->variable) ||
            !darn_type_may_be(darn_site_string(&record->type), rule->cure->shape.type))
            continue;
        rule->ops |= DARN_ALLOW_WRITE;
        if (!records->claimed[i])
            add_rule(rule->cure, record);
        records->claimed[i] = true;
    }
}

static void add_all_chained(const struct records *records)
{
    for (struct darn_rule *rule = darn_rules(); rule; rule = rule->next) {
        if (rule->cure && !(rule->ops & DARN_ALLOW_WRITE))
            add_chained(rule, records);
    }
}

/* ---- companions ---- */

static bool is_over(const struct darn_cure *cure, const struct darn_section_record *record)
{
    return darn_variable_same(darn_site_string(&record->variable), cure->shape.variable) &&
           darn_type_may_be(darn_site_string(&record->type), cure->shape.type);
}

static struct darn_cure *cure_over(const struct darn_section_record *record)
{
    for (struct darn_cure *cure = darn_cures(); cure; cure = cure->next) {
        if (cure->match >= DARN_CURE_MOVED && is_over(cure, record))
            return cure;
    }
    return NULL;
}

/*
 * A value that is read and written back elsewhere would lose what a section has written in between,
 * and the section what is written there: it is healed as well, whoever knows of it. By its name it
 * may be another variable; so only at addresses where one of the repository's own has been.
 */
static void add_companions(const struct records *records)
{
    for (uint32_t i = 0; i < records->count; i++) {
        const struct darn_section_record *record = records->list[i];
        struct darn_cure *cure = NULL;
        struct darn_rule *rule = NULL;

        if (record->kind == DARN_SECTION_LOAD_STORE && !records->claimed[i])
            cure = cure_over(record);
        if (cure)
            rule = add_rule(cure, record);
        if (!rule)
            continue;
        rule->companion = true;
        for (cure = darn_cures(); cure; cure = cure->next)
            cure->has_companion |= is_over(cure, record);
    }
}

/* ---- all of it ---- */

static void resolve(struct records *records, struct darn_cure **moved)
{
    for (struct darn_cure *cure = darn_cures(); cure; cure = cure->next) {
        for (uint32_t i = 0; i < records->count; i++) {
            if (cure->first ? !is_in_lines(cure, records->list[i])
                            : !is_exact(cure, records->list[i]))
                continue;
            records->claimed[i] |= !cure->first;
            add_record(cure, records->list[i], DARN_CURE_EXACT);
        }
    }
    for (struct darn_cure *cure = darn_cures(); cure; cure = cure->next) {
        if (cure->match == DARN_CURE_NONE && !cure->first && cure->shape.kind != DARN_SECTION_RACE)
            find_moved(cure, records, moved);
    }
    for (uint32_t i = 0; i < records->count; i++) {
        if (moved[i])
            add_record(moved[i], records->list[i], DARN_CURE_MOVED);
        records->claimed[i] |= moved[i] != NULL;
    }
    add_all_chained(records);
    add_companions(records);
}

static struct darn_cure_module *modules;

const struct darn_cure_module *darn_cures_modules(void)
{
    return modules;
}

bool darn_cures_have(const struct darn_section_record *record)
{
    for (const struct darn_cure *cure = darn_cures(); cure; cure = cure->next) {
        if (is_exact(cure, record))
            return true;
    }
    return false;
}

/* Room for the records of a module, and as many cures; false: there is no memory. */
static bool take_records(struct records *records, const struct darn_cure_module *module,
                         struct darn_cure ***moved)
{
    uint32_t count = collect(module->first, module->last, NULL);
    char *room = darn_os_allocate((count + 1) * RECORD_ROOM);

    if (!room)
        return false;
    records->count = count;
    records->list = (const struct darn_section_record **)(uintptr_t)room;
    *moved = (struct darn_cure **)(uintptr_t)(room + (count + 1) * sizeof(void *));
    records->claimed = (bool *)(room + 2 * (count + 1) * sizeof(void *));
    collect(module->first, module->last, records->list);
    return true;
}

static void give_records(struct records *records)
{
    darn_os_free((void *)records->list, (records->count + 1) * RECORD_ROOM);
}

void darn_cures_resolve_one(struct darn_cure *cure, const struct darn_cure_module *module)
{
    struct records records;
    struct darn_cure **unused;

    if (!take_records(&records, module, &unused))
        return;
    for (uint32_t i = 0; i < records.count; i++) {
        records.claimed[i] = darn_cures_have(records.list[i]);
        if (is_exact(cure, records.list[i]))
            add_record(cure, records.list[i], DARN_CURE_EXACT);
    }
    add_all_chained(&records);
    add_companions(&records);
    give_records(&records);
    if (cure->match == DARN_CURE_NONE)
        darn_cures_add_by_sites(cure, module->start, module->stop);
}

static void remember(const struct darn_cure_module *module)
{
    struct darn_cure_module *own = darn_rules_take(sizeof(*own));

    if (!own)
        return;
    for (struct darn_cure_module **at = &modules; *at;) { /* what lay there was unloaded */
        if ((*at)->start < module->stop && module->start < (*at)->stop)
            *at = (*at)->next;
        else
            at = &(*at)->next;
    }
    *own = *module;
    own->next = modules;
    modules = own;
}

void darn_cures_resolve(const struct darn_site *start, const struct darn_site *stop,
                        const void *first_record, const void *last_record)
{
    struct darn_cure_module module = {start, stop, first_record, last_record, NULL};
    struct records records;
    struct darn_cure **moved;

    remember(&module);
    if (!darn_cures() || !take_records(&records, &module, &moved))
        return;
    resolve(&records, moved);
    give_records(&records);
    for (struct darn_cure *cure = darn_cures(); cure; cure = cure->next) {
        if (cure->match == DARN_CURE_NONE)
            darn_cures_add_by_sites(cure, start, stop);
    }
}
