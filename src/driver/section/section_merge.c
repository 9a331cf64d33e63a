#include "driver/section/section_merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "section/alias.h"

static int compare_numbers(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

/* By what sections have in common that are one. Two calls of an inlined function in different lines
 * are two entries. */
static int compare_sections(const struct darn_section *a, const struct darn_section *b)
{
    const struct darn_point *one = &a->points[0], *other = &b->points[0];
    int order = strcmp(a->file, b->file);

    order = order ? order : compare_numbers(one->line, other->line);
    order = order ? order : compare_numbers(one->column, other->column);
    order = order ? order : compare_numbers(one->kind, other->kind);
    order = order ? order : strcmp(a->function, b->function);
    order = order ? order : strcmp(a->variable, b->variable);
    order = order ? order : strcmp(one->file, other->file);
    order = order ? order : strcmp(one->function, other->function);
    order = order ? order : compare_numbers(one->at, other->at);
    return order ? order : compare_numbers(a->kind, b->kind);
}

/* Those that are one stand in an order of their own, so that the result does not depend on that of
 * the records. */
static int compare(const void *left, const void *right)
{
    const struct darn_section *a = *(struct darn_section *const *)left;
    const struct darn_section *b = *(struct darn_section *const *)right;
    int order = compare_sections(a, b);

    for (uint32_t i = 0; !order && i < a->count && i < b->count; i++) {
        order = compare_numbers(a->points[i].at, b->points[i].at);
        order = order ? order : compare_numbers(a->points[i].line, b->points[i].line);
        order = order ? order : compare_numbers(a->points[i].column, b->points[i].column);
    }
    return order ? order : compare_numbers(a->count, b->count);
}

/* For people: by file, and by the line where it begins. */
static int compare_lines(const void *left, const void *right)
{
    const struct darn_section *a = *(struct darn_section *const *)left;
    const struct darn_section *b = *(struct darn_section *const *)right;
    int order = strcmp(a->file, b->file);

    order = order ? order : compare_numbers(a->points[0].at, b->points[0].at);
    return order ? order : compare(left, right);
}

static bool is_same_point(const struct darn_point *a, const struct darn_point *b)
{
    return a->role == b->role && a->kind == b->kind && a->line == b->line && a->at == b->at &&
           a->column == b->column && strcmp(a->file, b->file) == 0 &&
           strcmp(a->function, b->function) == 0;
}

static struct darn_point *find_point(struct darn_section *section, const struct darn_point *point)
{
    for (uint32_t i = 0; i < section->count; i++) {
        if (is_same_point(&section->points[i], point))
            return &section->points[i];
    }
    return NULL;
}

/* Points stand in the order entry, calls, ends, leaves. */
static int rank(uint8_t role)
{
    return role == DARN_ROLE_ENTRY ? 0 : role == DARN_ROLE_CALL ? 1 : role == DARN_ROLE_END ? 2 : 3;
}

static bool add_point(struct darn_section *section, const struct darn_point *point)
{
    uint32_t to = section->count;

    if (to == DARN_SECTION_POINTS)
        return false;
    for (; to && rank(section->points[to - 1].role) > rank(point->role); to--)
        section->points[to] = section->points[to - 1];
    section->points[to] = *point;
    section->count++;
    return true;
}

/* `section` has room for all points. An end allows what it allows in each of them. */
static bool merge_points(struct darn_section *section, const struct darn_section *other)
{
    for (uint32_t i = 0; i < other->count; i++) {
        struct darn_point *point = find_point(section, &other->points[i]);

        if (point)
            point->allow &= other->points[i].allow;
        else if (!add_point(section, &other->points[i]))
            return false;
    }
    section->inside |= other->inside;
    return true;
}

static void merge_types(struct darn_section *section, const struct darn_section *other)
{
    if (!section->type || !section->type[0])
        section->type = other->type;
    else if (!darn_type_may_be(section->type, other->type))
        section->type = NULL;
}

uint32_t darn_sections_merge(struct darn_sections *sections)
{
    struct darn_sections merged = {.count = 0};
    struct darn_section *section = darn_need_memory(calloc(1, sizeof(*section)));
    uint32_t large = 0;
    size_t end;
    if (sections->count)
        qsort(sections->list, sections->count, sizeof(*sections->list), compare);
    for (size_t i = 0; i < sections->count; i = end) {
        bool fits = true;

        memcpy(section, sections->list[i], offsetof(struct darn_section, points));
        section->count = 0;
        for (end = i; end < sections->count; end++) {
            if (compare_sections(sections->list[i], sections->list[end]) != 0)
                break;
            fits = fits && merge_points(section, sections->list[end]);
            merge_types(section, sections->list[end]);
        }
        if (fits)
            darn_sections_add(&merged, section);
        else
            large++;
    }
    if (merged.count)
        qsort(merged.list, merged.count, sizeof(*merged.list), compare_lines);
    free(section);
    darn_sections_free(sections);
    *sections = merged;
    return large;
}

static bool covers(struct darn_section *section, const struct darn_section *pair)
{
    if (strcmp(section->variable, pair->variable) != 0 ||
        strcmp(section->function, pair->function) != 0 ||
        !is_same_point(&section->points[0], &pair->points[0]))
        return false;
    for (uint32_t i = 0; i < pair->count; i++) {
        if (pair->points[i].role == DARN_ROLE_END && !find_point(section, &pair->points[i]))
            return false;
    }
    return true;
}

/* In a sorted list, those with the same entry stand next to each other. */
void darn_sections_drop_covered(struct darn_sections *sections)
{
    struct darn_section **list = sections->list;
    size_t kept = 0, end;

    for (size_t i = 0; i < sections->count; i = end) {
        for (end = i; end < sections->count; end++) {
            if (strcmp(list[i]->file, list[end]->file) != 0 ||
                list[i]->points[0].at != list[end]->points[0].at)
                break;
        }
        for (size_t k = i; k < end; k++) {
            bool covered = false;

            for (size_t other = i; other < end && !covered; other++)
                covered = list[k]->kind == DARN_SECTION_PAIR &&
                          list[other]->kind != DARN_SECTION_PAIR && covers(list[other], list[k]);
            if (covered)
                list[k]->count = 0; /* to be taken out when the group is done */
        }
        for (size_t k = i; k < end; k++) {
            if (list[k]->count)
                list[kept++] = list[k];
        }
    }
    sections->count = kept;
}
