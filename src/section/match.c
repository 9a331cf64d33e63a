#include "section/match.h"

#include <string.h>

#include "section/alias.h"

/* ---- one section ---- */

/* FNV-1a. */
static uint32_t add_to_hash(uint32_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * UINT32_C(16777619);
    return hash;
}

void darn_match_prepare(struct darn_match_section *section)
{
    section->hash =
        add_to_hash(add_to_hash(UINT32_C(2166136261), section->function), section->variable);
    section->entry = NULL;
    section->ends = 0;
    for (uint32_t i = 0; i < section->count; i++) {
        const struct darn_section_point *point = &section->points[i];

        if (point->role == DARN_ROLE_ENTRY)
            section->entry = point;
        else if (point->role == DARN_ROLE_END)
            section->ends |= (uint8_t)(1 << point->kind);
    }
}

struct darn_match_section darn_match_of_record(const struct darn_section_record *record)
{
    struct darn_match_section section = {.file = darn_site_string(&record->file),
                                         .function = darn_site_string(&record->function),
                                         .variable = darn_site_string(&record->variable),
                                         .type = darn_site_string(&record->type),
                                         .points = record->points,
                                         .count = record->count,
                                         .kind = record->kind,
                                         .inside = record->inside};

    darn_match_prepare(&section);
    return section;
}

struct darn_match_section darn_match_of_section(const struct darn_section *section,
                                                struct darn_section_point *points)
{
    struct darn_match_section result = {.file = section->file,
                                        .function = section->function,
                                        .variable = section->variable,
                                        .type = section->type,
                                        .points = points,
                                        .count = section->count,
                                        .first = section->first,
                                        .last = section->last,
                                        .allow = section->allow,
                                        .has_allow = section->has_allow,
                                        .kind = section->kind,
                                        .inside = section->inside};

    for (uint32_t i = 0; i < section->count; i++) {
        const struct darn_point *point = &section->points[i];

        points[i] = (struct darn_section_point){.key = darn_point_key(point),
                                                .line = point->at,
                                                .role = point->role,
                                                .kind = point->kind,
                                                .allow = point->allow};
    }
    darn_match_prepare(&result);
    return result;
}

struct darn_match_section darn_match_of_wanted(const struct darn_section *section,
                                               struct darn_section_point *points)
{
    struct darn_match_section result = darn_match_of_section(section, points);

    for (uint32_t i = 0; i < section->count; i++) {
        const struct darn_point *point = &section->points[i];

        if (point->at == point->line && strcmp(point->function, section->function) != 0)
            points[i].line = 0;
    }
    return result;
}

/* ---- two of them ---- */

static bool is_same_point(const struct darn_section_point *one,
                          const struct darn_section_point *other)
{
    return one->key == other->key && one->role == other->role &&
           (one->line == other->line || !one->line || !other->line);
}

static const struct darn_section_point *find_point(const struct darn_match_section *section,
                                                   const struct darn_section_point *point)
{
    for (uint32_t i = 0; i < section->count; i++) {
        if (is_same_point(&section->points[i], point))
            return &section->points[i];
    }
    return NULL;
}

static bool has_all_ends(const struct darn_match_section *wanted,
                         const struct darn_match_section *found)
{
    for (uint32_t i = 0; i < wanted->count; i++) {
        if (wanted->points[i].role == DARN_ROLE_END && !find_point(found, &wanted->points[i]))
            return false;
    }
    return wanted->ends;
}

bool darn_match_is_at_place(const struct darn_match_section *wanted,
                            const struct darn_match_section *found)
{
    return wanted->entry && found->entry && is_same_point(wanted->entry, found->entry) &&
           strcmp(wanted->function, found->function) == 0 &&
           darn_variable_may_be(wanted->variable, found->variable) &&
           darn_type_may_be(wanted->type, found->type) && has_all_ends(wanted, found);
}

static bool is_within(const struct darn_match_section *lines,
                      const struct darn_section_point *point)
{
    return point->line >= lines->first && point->line <= lines->last;
}

bool darn_match_is_in_lines(const struct darn_match_section *wanted,
                            const struct darn_match_section *found)
{
    if (!wanted->first || found->first || !found->entry || !is_within(wanted, found->entry) ||
        !darn_section_means_file(found->file, wanted->file) ||
        !darn_section_means(found->variable, wanted->variable))
        return false;
    for (uint32_t i = 0; i < found->count; i++) {
        if (found->points[i].role == DARN_ROLE_END && is_within(wanted, &found->points[i]))
            return true;
    }
    return false;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* What somebody learned or wrote down is one of the compiler's kinds in the program. */
static bool is_kind_of_compiler(uint8_t kind)
{
    return kind <= DARN_SECTION_PAIR;
}

/* Whether it may be one that has moved. */
static bool has_shape(const struct darn_match_section *wanted,
                      const struct darn_match_section *found)
{
    return wanted->hash == found->hash && wanted->entry && found->entry &&
           wanted->entry->kind == found->entry->kind && wanted->ends == found->ends &&
           (wanted->kind == found->kind || !is_kind_of_compiler(wanted->kind)) &&
           strcmp(wanted->function, found->function) == 0 &&
           strcmp(wanted->variable, found->variable) == 0 &&
           darn_type_may_be(wanted->type, found->type) &&
           strcmp(last_part(wanted->file), last_part(found->file)) == 0;
}

bool darn_match_goes_along(const struct darn_match_section *wanted,
                           const struct darn_match_section *found)
{
    return found->kind == DARN_SECTION_LOAD_STORE && !darn_section_is_of_accesses(wanted->kind) &&
           darn_variable_same(found->variable, wanted->variable) &&
           darn_type_may_be(found->type, wanted->type);
}

bool darn_match_concerns(const struct darn_match_section *wanted,
                         const struct darn_match_section *found)
{
    return darn_match_goes_along(wanted, found) || darn_match_is_in_lines(wanted, found) ||
           darn_match_is_at_place(wanted, found) || has_shape(wanted, found);
}

static uint32_t count_ends(const struct darn_match_section *section,
                           const struct darn_section_point *before)
{
    uint32_t count = 0;

    for (const struct darn_section_point *point = section->points; point < before; point++)
        count += point->role == DARN_ROLE_END;
    return count;
}

static const struct darn_section_point *nth_end(const struct darn_match_section *section,
                                                uint32_t number)
{
    const struct darn_section_point *point = section->points;

    while (point->role != DARN_ROLE_END || number--)
        point++;
    return point;
}

/* Which of the repository's ends it is, or NULL. What has moved has its ends in the same order, if
 * it has as many; what stands at their old places then says nothing. */
static const struct darn_section_point *own_end(const struct darn_match_wanted *wanted,
                                                const struct darn_match_section *found,
                                                const struct darn_section_point *end)
{
    const struct darn_match_section *own = &wanted->section;

    if (wanted->how != DARN_MATCH_MOVED || !has_shape(own, found))
        return find_point(own, end);
    return count_ends(own, own->points + own->count) ==
                   count_ends(found, found->points + found->count)
               ? nth_end(own, count_ends(found, end))
               : NULL;
}

uint8_t darn_match_allow(const struct darn_match_wanted *wanted,
                         const struct darn_match_section *found,
                         const struct darn_section_point *end)
{
    const struct darn_match_section *lines = &wanted->section;
    const struct darn_section_point *own;

    if (lines->first && !is_within(lines, end))
        return DARN_ALLOW_ALL;
    if (lines->first)
        return lines->has_allow ? lines->allow : end->allow;
    own = own_end(wanted, found, end);
    return own ? own->allow : end->allow;
}

uint32_t darn_match_end(const struct darn_match_wanted *wanted,
                        const struct darn_match_section *found,
                        const struct darn_section_point *end)
{
    const struct darn_section_point *own;

    if (wanted->section.first)
        return count_ends(found, end);
    own = own_end(wanted, found, end);
    return own ? count_ends(&wanted->section, own) : DARN_MATCH_NO_END;
}

/* ---- all of them ---- */

static void tell(struct darn_match *match, struct darn_match_wanted *wanted,
                 struct darn_match_found *found, enum darn_match_how how)
{
    if (how > wanted->how)
        wanted->how = (uint8_t)how;
    wanted->why = NULL;
    found->is_claimed |= !wanted->section.first;
    match->meant(match->context, wanted, found);
}

/* The program's sections, by the key of their entries: a repository may want all of them. */
static void fill_buckets(struct darn_match *match)
{
    for (uint32_t i = 0; i < match->found_count; i++)
        match->found[i].first = match->found[i].next = 0;
    for (uint32_t i = match->found_count; i; i--) {
        struct darn_match_found *found = &match->found[i - 1], *bucket;

        if (!found->section.entry)
            continue;
        bucket = &match->found[found->section.entry->key % match->found_count];
        found->next = bucket->first;
        bucket->first = i;
    }
}

static void find_in_lines(struct darn_match *match, struct darn_match_wanted *wanted)
{
    for (uint32_t i = 0; i < match->found_count; i++) {
        if (darn_match_is_in_lines(&wanted->section, &match->found[i].section))
            tell(match, wanted, &match->found[i], DARN_MATCH_EXACT);
    }
}

static void find_at_place(struct darn_match *match, struct darn_match_wanted *wanted)
{
    uint32_t i = 0;

    if (wanted->section.first)
        find_in_lines(match, wanted);
    if (wanted->section.entry && match->found_count)
        i = match->found[wanted->section.entry->key % match->found_count].first;
    for (; i && !darn_section_is_of_accesses(wanted->section.kind);
         i = match->found[i - 1].next) {
        if (darn_match_is_at_place(&wanted->section, &match->found[i - 1].section))
            tell(match, wanted, &match->found[i - 1], DARN_MATCH_EXACT);
    }
}

/* Whether it may be one that has moved, and is looked for. */
static bool is_free(const struct darn_match_found *found, const struct darn_match_wanted *wanted)
{
    return !found->is_claimed && has_shape(&wanted->section, &found->section);
}

/* A function that is in the module several times, as inline functions are, has its sections as
 * often. */
static bool is_copy(const struct darn_match *match, const struct darn_match_found *found,
                    const struct darn_match_wanted *wanted)
{
    for (const struct darn_match_found *other = match->found; other < found; other++) {
        if (other->section.entry && is_same_point(other->section.entry, found->section.entry) &&
            is_free(other, wanted))
            return true;
    }
    return false;
}

/* How many there are of the shape, and of these before the line. */
static uint32_t count_found(const struct darn_match *match, const struct darn_match_wanted *wanted,
                            uint32_t line, uint32_t *before)
{
    uint32_t count = 0;

    *before = 0;
    for (uint32_t i = 0; i < match->found_count; i++) {
        const struct darn_match_found *found = &match->found[i];

        if (!is_free(found, wanted) || is_copy(match, found, wanted))
            continue;
        *before += found->section.entry->line < line;
        count++;
    }
    return count;
}

/* The same among those who look for it. */
static uint32_t count_wanted(const struct darn_match *match, const struct darn_match_wanted *wanted,
                             uint32_t *before)
{
    uint32_t count = 0;

    *before = 0;
    for (uint32_t i = 0; i < match->wanted_count; i++) {
        const struct darn_match_wanted *other = match->wanted[i];

        if (other->how != DARN_MATCH_NONE || other->section.first ||
            !has_shape(&wanted->section, &other->section))
            continue;
        *before += other->section.entry->line < wanted->section.entry->line;
        count++;
    }
    return count;
}

static void find_moved(const struct darn_match *match, struct darn_match_wanted *wanted)
{
    uint32_t rank, before, count = count_found(match, wanted, 0, &before);

    if (!count)
        return;
    if (count != count_wanted(match, wanted, &rank)) {
        wanted->why = "the function has several sections like it, and which is meant is not clear";
        return;
    }
    for (uint32_t i = 0; i < match->found_count; i++) {
        struct darn_match_found *found = &match->found[i];

        if (!is_free(found, wanted))
            continue;
        count_found(match, wanted, found->section.entry->line, &before);
        if (before == rank)
            found->moved = wanted;
    }
}

/* Nobody is told before all have looked: how many look for a shape must not change meanwhile. */
void darn_match_module(struct darn_match *match)
{
    fill_buckets(match);
    for (uint32_t i = 0; i < match->wanted_count; i++)
        find_at_place(match, match->wanted[i]);
    for (uint32_t i = 0; i < match->wanted_count; i++) {
        const struct darn_match_wanted *wanted = match->wanted[i];

        if (wanted->how == DARN_MATCH_NONE && !darn_section_is_of_accesses(wanted->section.kind) &&
            !wanted->section.first && wanted->section.ends)
            find_moved(match, match->wanted[i]);
    }
    for (uint32_t i = 0; i < match->found_count; i++) {
        if (match->found[i].moved)
            tell(match, match->found[i].moved, &match->found[i], DARN_MATCH_MOVED);
    }
}

void darn_match_add(struct darn_match *match, struct darn_match_wanted *added)
{
    for (uint32_t i = 0; i < match->found_count; i++) {
        struct darn_match_found *found = &match->found[i];

        for (uint32_t j = 0; j < match->wanted_count && !found->is_claimed; j++)
            found->is_claimed = darn_match_is_at_place(&match->wanted[j]->section, &found->section);
    }
    fill_buckets(match);
    find_at_place(match, added);
}

/* ---- accesses ---- */

static bool is_of_variable(const struct darn_match_section *wanted,
                           const struct darn_match_site *site)
{
    return site->kind >= DARN_SITE_LEAVE || wanted->kind == DARN_SECTION_TOGETHER ||
           darn_variable_same(site->variable, wanted->variable);
}

static bool has_site(const struct darn_match_section *wanted,
                     const struct darn_section_point *point, const struct darn_match_sites *sites)
{
    struct darn_match_site site;

    sites->rewind(sites->context);
    while (sites->next(sites->context, &site)) {
        if (site.key == point->key && is_of_variable(wanted, &site))
            return true;
    }
    return false;
}

static bool has_all_sites(const struct darn_match_section *wanted,
                          const struct darn_match_sites *sites)
{
    for (uint32_t i = 0; i < wanted->count; i++) {
        if (wanted->points[i].role != DARN_ROLE_LEAVE &&
            !has_site(wanted, &wanted->points[i], sites))
            return false;
    }
    return wanted->count;
}

/* The only access of the race's kind to the variable in the function: its key, else 0. */
static uint64_t find_only(const struct darn_match_section *race,
                          const struct darn_match_sites *sites)
{
    struct darn_match_site site;
    uint64_t only = 0;

    sites->rewind(sites->context);
    while (sites->next(sites->context, &site)) {
        if (site.kind != race->entry->kind || site.key == only ||
            strcmp(site.function, race->function) != 0 ||
            strcmp(site.variable, race->variable) != 0 ||
            strcmp(last_part(site.file), last_part(race->file)) != 0)
            continue;
        if (only)
            return 0;
        only = site.key;
    }
    return only;
}

uint8_t darn_match_by_sites(const struct darn_match_section *wanted,
                            const struct darn_match_sites *sites, uint64_t *key)
{
    *key = 0;
    if (is_kind_of_compiler(wanted->kind))
        return DARN_MATCH_NONE;
    if (has_all_sites(wanted, sites))
        return DARN_MATCH_EXACT;
    if (wanted->kind == DARN_SECTION_RACE && wanted->entry)
        *key = find_only(wanted, sites);
    return *key ? DARN_MATCH_MOVED : DARN_MATCH_NONE;
}

bool darn_match_is_point(const struct darn_match_home *section, uint32_t at, const char *function,
                         uint32_t call)
{
    if (darn_section_is_anywhere(section->kind) || section->kind == DARN_SECTION_ORDER ||
        strcmp(function, section->function) == 0)
        return true;
    return call ? call == darn_site_call_of(section->function, at)
                : section->inside & DARN_SECTION_ACROSS;
}
