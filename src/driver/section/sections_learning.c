/*
 * From traces to pairs of places, and from pairs to sections.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/map.h"
#include "driver/section/sections_learn.h"
#include "engine/atomicity/invariants.h"
#include "site/site_section.h"
#include "trace/trace.h"

/* A place of the source: the same in all traces. */
struct place {
    const char *file, *function, *variable;
    uint32_t line, column;
    uint8_t kind;
};

struct darn_learning {
    struct darn_invariants *invariants;
    struct darn_text_pool pool; /* the texts of the places */
    struct darn_map by_key;     /* of sites: the number of the place */
    struct place *places;       /* the first one is no place */
    size_t count, room;
};

/* One trace: what its sites are, by their id. */
struct reading {
    struct darn_learning *learning;
    struct darn_trace *trace;
    uint32_t *places; /* + 1; 0: not asked yet */
    size_t room;
};

struct darn_learning *darn_learning_new(void)
{
    struct darn_learning *learning = calloc(1, sizeof(*learning));

    if (!learning)
        return NULL;
    learning->invariants = darn_invariants_create();
    learning->room = 64;
    learning->places = calloc(learning->room, sizeof(*learning->places));
    learning->count = 1;
    if (!learning->invariants || !learning->places) {
        darn_learning_free(learning);
        return NULL;
    }
    return learning;
}

void darn_learning_free(struct darn_learning *learning)
{
    if (!learning)
        return;
    darn_invariants_destroy(learning->invariants);
    darn_pool_release(&learning->pool);
    darn_map_free(&learning->by_key);
    free(learning->places);
    free(learning);
}

/*
 * Which accesses may begin or end a section. Not those whose length the site does not know, nor
 * the reads of a spin loop, which wait for nothing but to be interrupted, nor assertions.
 */
static bool may_be_in_pair(const struct darn_trace_site *site)
{
    const uint16_t never =
        DARN_SITE_RANGE | DARN_SITE_SPIN | DARN_SITE_ASSERT_WRITER | DARN_SITE_ASSERT_ACCESS;

    return site->key && site->file && site->function && site->line &&
           site->kind <= DARN_SITE_UPDATE && !(site->flags & never);
}

static uint32_t number_of(struct darn_learning *learning, const struct darn_trace_site *site)
{
    uint32_t number = (uint32_t)darn_map_get(&learning->by_key, site->key, 0);

    if (number)
        return number;
    if (learning->count == learning->room) {
        learning->room *= 2;
        learning->places = darn_need_memory(
            reallocarray(learning->places, learning->room, sizeof(*learning->places)));
    }
    learning->places[learning->count] = (struct place){
        .file = darn_pool_text(&learning->pool, site->file),
        .function = darn_pool_text(&learning->pool, site->function),
        .variable = darn_pool_text(&learning->pool, site->variable ? site->variable : ""),
        .line = site->line,
        .column = site->column,
        .kind = site->kind,
    };
    darn_map_put(&learning->by_key, site->key, learning->count);
    return (uint32_t)learning->count++;
}

static uint32_t place_of(void *context, uint32_t id)
{
    struct reading *reading = context;
    const struct darn_trace_site *site;

    if (id < reading->room && reading->places[id])
        return reading->places[id] - 1;
    site = darn_trace_site(reading->trace, id);
    if (!site)
        return 0;
    if (id >= reading->room) {
        size_t room = (size_t)id * 2 + 64;

        reading->places =
            darn_need_memory(reallocarray(reading->places, room, sizeof(*reading->places)));
        memset(reading->places + reading->room, 0,
               (room - reading->room) * sizeof(*reading->places));
        reading->room = room;
    }
    reading->places[id] = 1 + (may_be_in_pair(site) ? number_of(reading->learning, site) : 0);
    return reading->places[id] - 1;
}

static bool covers(void *context, uint32_t id)
{
    const struct reading *reading = context;
    const struct darn_trace_site *site = darn_trace_site(reading->trace, id);

    return site && site->flags & DARN_SITE_COVERS;
}

void darn_learning_take(struct darn_learning *learning, struct darn_trace *trace)
{
    struct reading reading = {.learning = learning, .trace = trace};
    const struct darn_invariants_sites sites = {place_of, covers, &reading};
    struct darn_event event;

    darn_invariants_begin(learning->invariants, &sites);
    while (darn_trace_next(trace, &event) > 0)
        darn_invariants_event(learning->invariants, &event);
    free(reading.places);
}

static void add_point(struct darn_section *section, const struct place *place, uint8_t role,
                      uint8_t allow)
{
    section->points[section->count++] = (struct darn_point){
        .file = place->file,
        .function = place->function,
        .line = place->line,
        .column = place->column,
        .at = place->line,
        .role = role,
        .kind = place->kind,
        .allow = allow,
    };
}

/* What stands between two accesses in a run, nobody has looked at: it may be anything. */
static void begin_section(struct darn_section *section, const struct place *entry)
{
    section->variable = entry->variable;
    section->file = entry->file;
    section->function = entry->function;
    section->why = NULL;
    section->first = section->last = 0;
    section->kind = DARN_SECTION_LEARNED;
    section->has_allow = false;
    section->inside = DARN_SECTION_UNKNOWN;
    section->position = section->column = 0;
    section->count = 0;
    add_point(section, entry, DARN_ROLE_ENTRY, 0);
}

static void add_end(struct darn_section *section, const struct place *end, uint8_t allow)
{
    add_point(section, end, DARN_ROLE_END, allow);
    if (strcmp(end->function, section->function) != 0 || strcmp(end->file, section->file) != 0)
        section->inside |= DARN_SECTION_ACROSS;
    /* A pointer that has no name at one of the two may have one at the other. */
    if (!*section->variable)
        section->variable = end->variable;
}

static int by_entry(const void *a, const void *b)
{
    const struct darn_invariant *one = *(const struct darn_invariant *const *)a;
    const struct darn_invariant *other = *(const struct darn_invariant *const *)b;

    if (one->entry != other->entry)
        return one->entry < other->entry ? -1 : 1;
    return one->end < other->end ? -1 : one->end > other->end;
}

/* Those that hold, sorted by their entry; NULL when there are none. */
static const struct darn_invariant **collect(const struct darn_learning *learning,
                                             struct darn_learned *learned, size_t *count)
{
    size_t all;
    const struct darn_invariant *pairs = darn_invariants_all(learning->invariants, &all);
    const struct darn_invariant **kept = darn_need_memory(calloc(all + 1, sizeof(*kept)));

    *count = 0;
    learned->pairs = all;
    for (size_t i = 0; i < all; i++) {
        learned->broken += pairs[i].violated != 0;
        learned->private += !pairs[i].violated && !pairs[i].shared;
        if (darn_invariant_holds(&pairs[i]))
            kept[(*count)++] = &pairs[i];
    }
    qsort(kept, *count, sizeof(*kept), by_entry);
    return kept;
}

struct darn_learned darn_learning_give(const struct darn_learning *learning,
                                       struct darn_sections *sections)
{
    struct darn_learned learned = {.dropped = darn_invariants_dropped(learning->invariants)};
    struct darn_section *section = darn_need_memory(calloc(1, sizeof(*section)));
    size_t count;
    const struct darn_invariant **pairs = collect(learning, &learned, &count);

    for (size_t i = 0; i < count; i++) {
        if (!i || pairs[i]->entry != pairs[i - 1]->entry) {
            if (i)
                darn_sections_add(sections, section);
            begin_section(section, &learning->places[pairs[i]->entry]);
        }
        if (section->count < DARN_SECTION_POINTS)
            add_end(section, &learning->places[pairs[i]->end], pairs[i]->allow);
        else
            learned.dropped++;
    }
    if (count)
        darn_sections_add(sections, section);
    free(pairs);
    free(section);
    return learned;
}
