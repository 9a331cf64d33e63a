/*
 * Atomic sections become targets: for each section, each access that may come into it is to be
 * forced between its entry and an end. Which accesses of other threads touch the same memory is
 * known from the trace of the prediction.
 */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "driver/hunt/hunt.h"
#include "driver/section/section_elf.h"
#include "driver/section/section_meaning.h"
#include "engine/atomicity/partners.h"
#include "section/match.h"
#include "trace/trace.h"

/* Not more targets than this: those that come first are the likelier ones. */
#define MOST 300

#define LOOK_EVERY 65536 /* events, at the clock */

/* The place `other` touches what `one` touches, from another thread. */
struct partner {
    uint64_t one, other;
    uint8_t ops; /* of the other: enum darn_section_allow */
};

struct triples {
    struct darn_hunt *hunt;
    struct darn_trace *trace;
    struct partner *partners;
    size_t count, room;
    struct darn_map known;
    size_t sections; /* that have targets */
};

static uint8_t ops_of(const struct darn_trace_site *site)
{
    if (site->kind == DARN_SITE_READ)
        return DARN_ALLOW_READ;
    return site->kind == DARN_SITE_UPDATE || site->flags & DARN_SITE_COVERS ? DARN_ALLOW_ALL
                                                                            : DARN_ALLOW_WRITE;
}

static void add_partner(void *context, uint32_t one, uint32_t other)
{
    struct triples *triples = context;
    const struct darn_trace_site *a = darn_trace_site(triples->trace, one);
    const struct darn_trace_site *b = darn_trace_site(triples->trace, other);

    if (!a || !b || !a->key || !b->key)
        return;
    if (triples->count == triples->room) {
        size_t room = triples->room ? 2 * triples->room : 256;
        struct partner *partners = realloc(triples->partners, room * sizeof(*partners));

        if (!partners)
            return;
        triples->partners = partners;
        triples->room = room;
    }
    triples->partners[triples->count++] = (struct partner){a->key, b->key, ops_of(b)};
}

static int compare(const void *one, const void *other)
{
    const struct partner *a = one, *b = other;

    if (a->one != b->one)
        return a->one < b->one ? -1 : 1;
    return a->other < b->other ? -1 : a->other > b->other;
}

/* 0 or DARN_REFUSED. */
static int read_partners(struct triples *triples, const char *path, double until)
{
    struct darn_partners *partners = darn_partners_create();
    char error[512];
    struct darn_event event;

    triples->trace = darn_trace_open(path, true, error, sizeof(error));
    if (!triples->trace || !partners) {
        darn_partners_destroy(partners);
        return darn_tell_refusal(triples->hunt->listener, "%s",
                                 triples->trace ? "out of memory" : error);
    }
    for (uint64_t i = 0; darn_trace_next(triples->trace, &event) == 1; i++) {
        darn_partners_event(partners, &event);
        if (i % LOOK_EVERY == 0 && darn_clock() > until)
            break;
    }
    darn_partners_each(partners, add_partner, triples);
    darn_partners_destroy(partners);
    darn_trace_close(triples->trace);
    if (triples->count)
        qsort(triples->partners, triples->count, sizeof(triples->partners[0]), compare);
    return 0;
}

/* The first partner of the place; the count when it has none. */
static size_t find_partner(const struct triples *triples, uint64_t one)
{
    size_t low = 0, high = triples->count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (triples->partners[middle].one < one)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_across(const struct darn_section *section)
{
    return section->inside & DARN_SECTION_ACROSS || darn_section_is_anywhere(section->kind);
}

/* An access in a function that was inlined into the section's: by which call. */
static uint32_t call_of(const struct darn_section *section, const struct darn_point *point)
{
    return is_across(section) || strcmp(point->function, section->function) == 0
               ? 0
               : darn_site_call_of(section->function, point->at);
}

/* False when there is no room for more. */
static bool add_target(struct triples *triples, const struct darn_section *section, uint64_t entry,
                       const struct darn_point *last, uint64_t remote)
{
    uint64_t end = darn_point_key(last);
    struct darn_hunt *hunt = triples->hunt;
    struct darn_target *target = &hunt->targets[hunt->target_count];
    uintptr_t print = darn_hash_number(darn_hash_number(entry, (uint32_t)(end ^ end >> 32)),
                                       (uint32_t)(remote ^ remote >> 32)) |
                      1;

    if (darn_map_get(&triples->known, print, 0))
        return true;
    if (hunt->target_count + DARN_MOST_MET >= hunt->target_room)
        return false;
    darn_map_put(&triples->known, print, 1);
    memset(target, 0, sizeof(*target));
    target->finding = calloc(1, sizeof(*target->finding));
    if (!target->finding)
        return false;
    target->kind = DARN_TARGET_TRIPLE;
    target->is_ours = true;
    target->finding->kind = "atomicity-violation";
    target->finding->id = "";
    target->is_across = is_across(section);
    target->is_inferred = !triples->hunt->options.sections;
    target->calls[0] = call_of(section, &section->points[0]);
    target->calls[2] = call_of(section, last);
    target->triple[0] = entry;
    target->triple[1] = remote;
    target->triple[2] = end;
    for (int i = 0; i < 3; i++)
        darn_target_add_key(target, target->triple[i]);
    for (uint32_t i = 0; i < section->count; i++)
        if (section->points[i].role == DARN_ROLE_LEAVE)
            darn_target_add_key(target, darn_point_key(&section->points[i]));
    hunt->target_count++;
    return true;
}

static bool add_remotes(struct triples *triples, const struct darn_section *section, uint64_t entry,
                        const struct darn_point *end, uint64_t place)
{
    for (size_t i = find_partner(triples, place);
         i < triples->count && triples->partners[i].one == place; i++) {
        if (triples->partners[i].ops & ~end->allow &&
            !add_target(triples, section, entry, end, triples->partners[i].other))
            return false;
    }
    return true;
}

static bool add_section(struct triples *triples, const struct darn_section *section)
{
    size_t before = triples->hunt->target_count;
    uint64_t entry = 0;
    bool room = true;

    for (uint32_t i = 0; i < section->count && room; i++) {
        const struct darn_point *point = &section->points[i];

        if (point->role == DARN_ROLE_ENTRY)
            entry = darn_point_key(point);
        if (point->role != DARN_ROLE_END || point->allow == DARN_ALLOW_ALL || !entry)
            continue;
        room = add_remotes(triples, section, entry, point, darn_point_key(point)) &&
               add_remotes(triples, section, entry, point, entry);
    }
    triples->sections += triples->hunt->target_count > before;
    return room;
}

static void add_meant(void *context, const struct darn_section_meant *meant)
{
    if (!darn_section_is_of_accesses(meant->section->kind)) /* three accesses say nothing of these */
        (void)add_section(context, meant->section);
}

/* Those that somebody has chosen, where the program has them now: what is tried is what would be
 * watched and healed. */
static int add_chosen(struct triples *triples, const char *path, const struct darn_section_elf *elf)
{
    struct darn_listener *listener = triples->hunt->listener;
    struct darn_sections chosen = {0};
    uint32_t errors = 0;
    struct darn_section_meaning meaning = {
        .elf = elf, .repository = &chosen, .meant = add_meant, .context = triples};
    int status = darn_section_file_load(listener, path, &chosen, &errors);
    struct darn_section_answer *answers = status ? NULL : darn_section_answers(&meaning);
    size_t missing = 0;

    for (size_t i = 0; answers && i < chosen.count; i++)
        missing += !chosen.list[i]->why && answers[i].how == DARN_MATCH_NONE;
    if (missing)
        darn_tell_warning(listener,
                          "%zu section%s of %s %s not in the program: see darn sections check",
                          missing, missing == 1 ? "" : "s", path, missing == 1 ? "is" : "are");
    free(answers);
    darn_sections_free(&chosen);
    return status;
}

/* What the compiler takes for one, the surest patterns first. */
static void add_inferred(struct triples *triples, const struct darn_section_elf *elf)
{
    for (uint8_t kind = DARN_SECTION_LOAD_STORE; kind <= DARN_SECTION_TEST_USE; kind++)
        for (size_t i = 0; i < elf->sections.count; i++)
            if (elf->sections.list[i]->kind == kind && !add_section(triples, elf->sections.list[i]))
                return;
}

static void make_room(struct darn_hunt *hunt)
{
    hunt->target_room += MOST;
    hunt->targets =
        darn_need_memory(reallocarray(hunt->targets, hunt->target_room, sizeof(*hunt->targets)));
}

int darn_hunt_triples(struct darn_hunt *hunt, const char *trace, double until)
{
    struct triples triples = {.hunt = hunt};
    struct darn_section_elf elf = {0};
    size_t before = hunt->target_count;
    char *path = realpath(hunt->options.program[0], NULL);
    int status =
        darn_section_elf_read(&elf, hunt->listener, path ? path : hunt->options.program[0], true);

    make_room(hunt);
    if (!status)
        status = read_partners(&triples, trace, until);
    if (!status && hunt->options.sections)
        status = add_chosen(&triples, hunt->options.sections, &elf);
    else if (!status)
        add_inferred(&triples, &elf);
    if (!status && hunt->target_count > before)
        darn_tell_note(hunt->listener, "sections: %zu that others may come into, in %zu way%s",
                       triples.sections, hunt->target_count - before,
                       hunt->target_count - before == 1 ? "" : "s");
    darn_section_elf_free(&elf);
    darn_map_free(&triples.known);
    free(triples.partners);
    free(path);
    return status;
}
