#include "driver/section/section_check.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The section, with what makes it a neighbour of others. */
struct neighbour {
    const struct darn_section *section;
    size_t index;
};

static int compare_places(const struct darn_section *a, const struct darn_section *b)
{
    int order = strcmp(a->file, b->file);

    if (!order)
        order = strcmp(a->function, b->function);
    return order ? order : strcmp(a->variable, b->variable);
}

static int compare(const void *left, const void *right)
{
    const struct neighbour *a = left, *b = right;
    int order = compare_places(a->section, b->section);

    return order ? order : (a->index > b->index) - (a->index < b->index);
}

static bool have_same_entry(const struct darn_section *a, const struct darn_section *b)
{
    const struct darn_point *one = &a->points[0], *other = &b->points[0];

    return one->line == other->line && one->at == other->at && one->column == other->column &&
           one->kind == other->kind && strcmp(one->file, other->file) == 0 &&
           strcmp(one->function, other->function) == 0;
}

static uint32_t last_line(const struct darn_section *section)
{
    uint32_t last = 0;

    for (uint32_t i = 0; i < section->count; i++) {
        const struct darn_point *point = &section->points[i];

        if (point->role == DARN_ROLE_END && point->at > last)
            last = point->at;
    }
    return last;
}

static bool ends_at(const struct darn_section *section, const struct darn_point *entry)
{
    for (uint32_t i = 0; i < section->count; i++) {
        const struct darn_point *point = &section->points[i];

        if (point->role == DARN_ROLE_END && point->line == entry->line &&
            point->column == entry->column && strcmp(point->file, entry->file) == 0)
            return true;
    }
    return false;
}

/* The entry of b lies between the entry and the last end of a, and is no end of a. */
static bool begins_within(const struct darn_section *b, const struct darn_section *a)
{
    const struct darn_point *entry = &b->points[0];

    return entry->at > a->points[0].at && entry->at < last_line(a) && !ends_at(a, entry);
}

/* Lines may meet: the last of one is the first of the other. */
static bool lines_cut(const struct darn_section *a, const struct darn_section *b)
{
    if (a->first == b->first && a->last == b->last)
        return true;
    return a->first < b->last && b->first < a->last;
}

/* Tells what is wrong with `section`, which comes after `other` in the file. */
static bool is_wrong(struct darn_listener *listener, const char *path,
                     const struct darn_section *section, const struct darn_section *other)
{
    const struct darn_point *entry = &section->points[0];

    if (darn_section_is_lines(section) != darn_section_is_lines(other) ||
        section->kind != other->kind)
        return false;
    if (darn_section_is_lines(section)) {
        if (!lines_cut(section, other))
            return false;
        darn_section_fault(listener, path, section->position, section->column,
                           "two sections over '%s' share lines of %s: %u-%u, and %u-%u (at line "
                           "%u); this one is not used",
                           section->variable, section->file, section->first, section->last,
                           other->first, other->last, other->position);
        return true;
    }
    if (have_same_entry(section, other)) {
        darn_section_fault(listener, path, section->position, section->column,
                           "two sections over '%s' begin at %s:%u:%u (the other at line %u); this "
                           "one is not used",
                           section->variable, entry->file, entry->line, entry->column,
                           other->position);
        return true;
    }
    if (section->kind != DARN_SECTION_HAND ||
        (!begins_within(section, other) && !begins_within(other, section)))
        return false;
    darn_section_fault(listener, path, section->position, section->column,
                       "two sections over '%s' overlap: one begins at %s:%u:%u, within the other "
                       "(at line %u); this one is not used",
                       section->variable, entry->file, entry->line, entry->column, other->position);
    return true;
}

/* Takes out those that were marked by NULL. */
static void close_gaps(struct darn_sections *sections, size_t from)
{
    size_t to = from;

    for (size_t i = from; i < sections->count; i++) {
        if (sections->list[i])
            sections->list[to++] = sections->list[i];
    }
    sections->count = to;
}

/* Those of one place, in the order of the file. */
static uint32_t check_group(struct darn_listener *listener, const char *path,
                            struct darn_sections *sections, struct neighbour *group, size_t count)
{
    uint32_t errors = 0;

    for (size_t i = 1; i < count; i++) {
        bool wrong = false;

        for (size_t k = 0; k < i && !wrong; k++)
            wrong =
                group[k].section && is_wrong(listener, path, group[i].section, group[k].section);
        if (!wrong)
            continue;
        sections->list[group[i].index] = NULL;
        group[i].section = NULL;
        errors++;
    }
    return errors;
}

uint32_t darn_section_check(struct darn_listener *listener, const char *path,
                            struct darn_sections *sections, size_t from)
{
    struct neighbour *all = calloc(sections->count - from + 1, sizeof(*all));
    size_t count = 0, end;
    uint32_t errors = 0;

    if (!all)
        return 0;
    for (size_t i = from; i < sections->count; i++) {
        if (!sections->list[i]->why)
            all[count++] = (struct neighbour){sections->list[i], i};
    }
    qsort(all, count, sizeof(*all), compare);
    for (size_t i = 0; i < count; i = end) {
        for (end = i + 1; end < count; end++) {
            if (compare_places(all[i].section, all[end].section) != 0)
                break;
        }
        errors += check_group(listener, path, sections, all + i, end - i);
    }
    free(all);
    close_gaps(sections, from);
    return errors;
}
