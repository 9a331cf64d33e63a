#include "plugin/heal/keep.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "section/match.h"
#include "section/resolve.h"

/* One of the two sides, as far as it is compared. */
struct side {
    struct darn_shape shape;
    uint64_t hash; /* of what equal shapes have in common; 0: it cannot be told by its shape */
    uint64_t entry, ends;
    int is_settled; /* the other one stands where this one does */
    int is_kept;
};

struct matching {
    struct side *found, *wanted;
    size_t found_count, wanted_count;
};

static uint64_t hash_of(const struct darn_shape *shape)
{
    uint64_t hash = darn_hash_string(DARN_HASH_START, shape->function);

    hash = darn_hash_string(hash, shape->variable);
    return darn_hash_number(hash, (uint32_t)shape->entry << 8 | shape->ends) | 1;
}

/* Sums do not depend on the order. What is dropped already is compared with nothing. */
static struct side side_of_found(const struct darn_found_section *found)
{
    struct side side = {.shape = {.file = found->file,
                                  .function = found->function,
                                  .variable = found->variable,
                                  .type = found->type,
                                  .kind = found->kind}};

    for (uint32_t i = 0; i < found->count; i++) {
        const struct darn_section_point *point = &found->points[i];

        if (point->role == DARN_ROLE_ENTRY) {
            side.shape.entry = point->kind;
            side.entry = point->key;
        } else if (point->role == DARN_ROLE_END) {
            side.shape.ends |= (uint8_t)(1 << point->kind);
            side.ends += point->key;
        }
    }
    side.hash = found->dropped ? 0 : hash_of(&side.shape);
    return side;
}

/* Of lines, and of an access that races, no section is a copy. */
static struct side side_of_wanted(const struct darn_section *section)
{
    struct side side = {.shape = darn_shape_of_section(section)};

    if (darn_section_is_lines(section) || section->kind == DARN_SECTION_RACE)
        return side;
    for (uint32_t i = 0; i < section->count; i++) {
        if (section->points[i].role == DARN_ROLE_ENTRY)
            side.entry = darn_point_key(&section->points[i]);
        else if (section->points[i].role == DARN_ROLE_END)
            side.ends += darn_point_key(&section->points[i]);
    }
    side.hash = hash_of(&side.shape);
    return side;
}

static int means(const struct side *wanted, const struct side *found)
{
    return wanted->hash && wanted->hash == found->hash &&
           darn_shape_means(&wanted->shape, &found->shape);
}

/* Where the repository says: the variable may have another name there. */
static int is_same(const struct side *wanted, const struct side *found)
{
    return wanted->hash && found->hash && wanted->entry == found->entry &&
           wanted->ends == found->ends &&
           (wanted->shape.kind == found->shape.kind || wanted->shape.kind > DARN_SECTION_PAIR) &&
           darn_type_may_be(wanted->shape.type, found->shape.type) &&
           strcmp(wanted->shape.function, found->shape.function) == 0;
}

static void settle(struct matching *matching)
{
    for (size_t i = 0; i < matching->wanted_count; i++) {
        struct side *wanted = &matching->wanted[i];

        for (size_t j = 0; j < matching->found_count; j++) {
            struct side *found = &matching->found[j];

            if (is_same(wanted, found))
                wanted->is_settled = found->is_settled = found->is_kept = 1;
        }
    }
}

/* A function that is in the module several times, as a template is, has its sections as often. */
static int is_copy(const struct matching *matching, size_t number)
{
    const struct side *found = &matching->found[number];

    for (size_t i = 0; i < number; i++) {
        const struct side *other = &matching->found[i];

        if (!other->is_settled && other->entry == found->entry && other->ends == found->ends &&
            other->hash == found->hash && other->shape.kind == found->shape.kind)
            return 1;
    }
    return 0;
}

static size_t count_wanted(const struct matching *matching, const struct side *like)
{
    size_t count = 0;

    for (size_t i = 0; i < matching->wanted_count; i++) {
        const struct side *wanted = &matching->wanted[i];

        count +=
            !wanted->is_settled && wanted->shape.kind == like->shape.kind && means(wanted, like);
    }
    return count;
}

/* With more in the module than are wanted it cannot be said which ones are meant. Fewer are no
 * reason to drop them: the others may be in another file of the same name. */
static void keep_by_shape(struct matching *matching, const struct side *wanted)
{
    size_t count = 0;

    for (size_t i = 0; i < matching->found_count; i++) {
        const struct side *found = &matching->found[i];

        count += !found->is_settled && means(wanted, found) && !is_copy(matching, i);
    }
    if (!count || count > count_wanted(matching, wanted))
        return;
    for (size_t i = 0; i < matching->found_count; i++) {
        struct side *found = &matching->found[i];

        found->is_kept |= !found->is_settled && means(wanted, found);
    }
}

/* With as much of the section as resolve.h looks at. */
static void keep_in_lines(struct side *side, const struct darn_found_section *found,
                          const struct darn_wanted *wanted, struct darn_section *section)
{
    *section = (struct darn_section){
        .variable = found->variable, .file = found->file, .count = found->count};
    for (uint32_t i = 0; i < found->count; i++) {
        section->points[i].at = found->points[i].line;
        section->points[i].role = found->points[i].role;
    }
    for (size_t i = 0; i < wanted->count && !side->is_kept; i++)
        side->is_kept = darn_section_applies(wanted->items[i], section);
}

/* A value that is read and written back is healed wherever that is, if it may be of a variable that
 * the repository names: the runtime decides by the address. */
static void keep_companion(struct side *side, const struct darn_found_section *found,
                           const struct darn_wanted *wanted)
{
    if (found->kind != DARN_SECTION_LOAD_STORE)
        return;
    for (size_t i = 0; i < wanted->count && !side->is_kept; i++)
        side->is_kept = darn_variable_same(found->variable, wanted->items[i]->variable) &&
                        darn_type_may_be(found->type, wanted->items[i]->type);
}

static void fill(struct matching *matching, const struct darn_section_finder *sections,
                 const struct darn_wanted *wanted)
{
    matching->found_count = sections->count;
    matching->wanted_count = wanted->count;
    matching->found = calloc(sections->count + 1, sizeof(*matching->found));
    matching->wanted = calloc(wanted->count + 1, sizeof(*matching->wanted));
    if (!matching->found || !matching->wanted)
        abort();
    for (size_t i = 0; i < sections->count; i++)
        matching->found[i] = side_of_found(&sections->items[i]);
    for (size_t i = 0; i < wanted->count; i++)
        matching->wanted[i] = side_of_wanted(wanted->items[i]);
}

void darn_sections_keep(struct darn_section_finder *sections, const struct darn_wanted *wanted)
{
    struct darn_section *section = malloc(sizeof(*section));
    struct matching matching;

    if (!section)
        abort();
    fill(&matching, sections, wanted);
    settle(&matching);
    for (size_t i = 0; i < wanted->count; i++) {
        if (matching.wanted[i].hash && !matching.wanted[i].is_settled)
            keep_by_shape(&matching, &matching.wanted[i]);
    }
    for (size_t i = 0; i < sections->count; i++) {
        keep_in_lines(&matching.found[i], &sections->items[i], wanted, section);
        keep_companion(&matching.found[i], &sections->items[i], wanted);
        if (!matching.found[i].is_kept)
            sections->items[i].dropped = 1;
    }
    free(matching.found);
    free(matching.wanted);
    free(section);
}
