#include "driver/section/sharing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "driver/analysis/gaps.h"
#include "driver/process/program.h"
#include "driver/section/section_elf.h"
#include "driver/section/section_meaning.h"
#include "engine/atomicity/shared.h"
#include "section/match.h"
#include "site/site.h"
#include "trace/trace.h"

#define IS_POINT (DARN_ALLOW_ALL + 1u)

/* One trace. */
struct run {
    struct darn_sharing *sharing;
    const char *path;
    struct darn_trace *trace;
    struct darn_sections meant; /* what the repository means in the program, */
    size_t *of;                 /* and by which of its sections; as many */
    size_t of_room;
    bool is_program;               /* it means something there */
    struct darn_map points;        /* the keys of all entries and ends, and what harms there */
    uint8_t harm;                  /* what harms anywhere: enum darn_section_allow, or-ed */
    struct darn_map first, places; /* sites by their key, places by what tells sites apart */
    uint32_t place_count;
    struct run_site {
        uint32_t place; /* 0: no section asks about it */
        uint8_t harm;   /* of all these sections */
        bool reads;     /* a write that stands for a read, too */
        uint32_t next;  /* the next site with the same key; 0: none */
    } * sites;          /* by id */
    uint32_t count;     /* of ids, and one */
};

static bool is_access(const struct darn_point *point)
{
    return point->role == DARN_ROLE_ENTRY || point->role == DARN_ROLE_END;
}

/* What others may not do while a thread is inside: what one of the ends does not allow, as where it
 * is healed (runtime/heal/cures_match.c). A race, which has none, and lines that say nothing are
 * harmed by whatever conflicts with them. */
static uint8_t harm_of(const struct darn_section *section)
{
    uint8_t allow = DARN_ALLOW_ALL;

    if (darn_section_is_lines(section))
        return DARN_ALLOW_ALL & ~(section->has_allow ? section->allow : 0);
    if (section->kind == DARN_SECTION_RACE)
        return section->points[0].kind == DARN_SITE_READ ? DARN_ALLOW_WRITE : DARN_ALLOW_ALL;
    for (uint32_t i = 0; i < section->count; i++) {
        if (section->points[i].role == DARN_ROLE_END)
            allow &= section->points[i].allow;
    }
    return DARN_ALLOW_ALL & ~allow;
}

static unsigned at_point(const struct run *run, uint64_t key)
{
    return key ? (unsigned)darn_map_get(&run->points, key, 0) : 0;
}

/* ---- what the repository means ---- */

static void add_meant(struct run *run, const struct darn_section *section, size_t index)
{
    run->of = darn_grow(run->of, &run->of_room, run->meant.count + 1, sizeof(*run->of));
    run->of[run->meant.count] = index;
    section = darn_sections_add(&run->meant, section);
    run->harm |= harm_of(section);
    for (uint32_t i = 0; i < section->count; i++) {
        uint64_t key = darn_point_key(&section->points[i]);

        if (is_access(&section->points[i]))
            darn_map_put(&run->points, key, at_point(run, key) | harm_of(section) | IS_POINT);
    }
}

/* Lines mean all accesses in them, be they a section or not. */
static void note_meant(void *context, const struct darn_section_meant *meant)
{
    struct run *run = context;
    const struct darn_map *numbers = &run->sharing->numbers;

    run->is_program = true;
    if (!darn_section_is_lines(meant->wanted))
        add_meant(run, meant->section, darn_map_get(numbers, (uintptr_t)meant->wanted, 0));
}

/* By the program that was recorded. What is not there may be in a library that it loads, and is
 * looked for where the repository says; so is everything when the program is gone. */
static void find_meant(struct run *run)
{
    struct darn_sharing *sharing = run->sharing;
    const char *program = darn_trace_about(run->trace).program;
    struct darn_section_elf elf;
    struct darn_section_meaning meaning = {&elf, sharing->sections, note_meant, run};
    struct darn_section_answer *answers = NULL;

    if (program && darn_program_kind(program) == DARN_PROGRAM_WATCHED &&
        darn_section_elf_read(&elf, sharing->listener, program, true) == 0) {
        answers = darn_section_answers(&meaning);
        darn_section_elf_free(&elf);
    }
    for (size_t i = 0; i < sharing->sections->count; i++) {
        const struct darn_section *section = sharing->sections->list[i];

        if (!section->why &&
            (!answers || darn_section_is_lines(section) || answers[i].how == DARN_MATCH_NONE))
            add_meant(run, section, i);
    }
    free(answers);
}

/* ---- the sites of the trace ---- */

/* Traces of old versions do not tell copies apart. */
static bool is_point(const struct darn_section *section, const struct darn_point *point,
                     const struct darn_trace_site *site)
{
    struct darn_match_home home = {section->function, section->kind, section->inside};

    return !site->has_copy ||
           darn_match_is_point(&home, point->at, site->function ? site->function : "",
                               (uint32_t)site->inlined);
}

/* Whether a section over lines means the access. */
static bool has_site(const struct darn_section *hand, const struct darn_trace_site *site)
{
    return darn_section_is_lines(hand) && !hand->why && site->file && site->variable &&
           site->line >= hand->first && site->line <= hand->last &&
           darn_section_means_file(site->file, hand->file) &&
           darn_section_means(site->variable, hand->variable);
}

/* IS_POINT if a section asks about the site, and what harms these sections; 0: none does. */
static unsigned asked_about(const struct run *run, const struct darn_trace_site *site)
{
    unsigned asked = at_point(run, site->key);

    for (size_t i = 0; i < run->meant.count; i++) {
        if (has_site(run->meant.list[i], site))
            asked |= IS_POINT | harm_of(run->meant.list[i]);
    }
    return asked;
}

/* Sites that all sections take for one have one number. */
static uint32_t give_place(struct run *run, const struct darn_trace_site *site)
{
    uint64_t hash = darn_hash_number(DARN_HASH_START ^ site->key, (uint32_t)site->inlined);
    uint32_t place;

    hash = darn_hash_string(hash, site->variable ? site->variable : "");
    hash = hash ? hash : 1;
    place = (uint32_t)darn_map_get(&run->places, hash, 0);
    if (!place) {
        place = ++run->place_count;
        darn_map_put(&run->places, hash, place);
    }
    return place;
}

/* False when there is no memory. */
static bool read_sites(struct run *run)
{
    run->count = (uint32_t)darn_trace_site_count(run->trace) + 1;
    run->sites = calloc(run->count, sizeof(*run->sites));
    if (!run->sites)
        return false;
    for (uint32_t id = 1; id < run->count; id++) {
        const struct darn_trace_site *site = darn_trace_site(run->trace, id);
        unsigned asked = site && site->key ? asked_about(run, site) : 0;

        run->sites[id].reads = site && site->flags & DARN_SITE_COVERS;
        if (!asked)
            continue;
        run->sites[id].place = give_place(run, site);
        run->sites[id].harm = asked & DARN_ALLOW_ALL;
        run->sites[id].next = (uint32_t)darn_map_get(&run->first, site->key, 0);
        darn_map_put(&run->first, site->key, id);
    }
    return true;
}

static struct darn_shared_place ask(void *context, uint32_t site)
{
    const struct run *run = context;

    if (site >= run->count)
        return (struct darn_shared_place){.number = 0};
    return (struct darn_shared_place){.number = run->sites[site].place,
                                      .harm = run->sites[site].harm,
                                      .reads = run->sites[site].reads};
}

static int feed(const struct run *run, struct darn_shared *shared)
{
    struct darn_event event;
    int result;

    while ((result = darn_trace_next(run->trace, &event)) > 0)
        darn_shared_event(shared, &event);
    return result < 0
               ? darn_tell_refusal(run->sharing->listener, "%s", darn_trace_error(run->trace))
               : 0;
}

/* What is missing may be what would have shown a section. */
static void warn_of_gaps(const struct run *run, const struct darn_shared *shared)
{
    uint64_t dropped = darn_shared_cost(shared).dropped;

    darn_warn_of_gaps(run->sharing->listener, run->path, run->trace);
    if (dropped)
        darn_tell_warning(run->sharing->listener,
                          "%s: %" PRIu64 " accesses were forgotten: there are too many ways to "
                          "come to their memory",
                          run->path, dropped);
}

/* Whether others did at the site what harms the section. */
static bool is_harmed(const struct run *run, const struct darn_shared *shared,
                      const struct darn_section *section, uint32_t id)
{
    return darn_shared_by(shared, run->sites[id].place) & harm_of(section);
}

static bool is_shared_at(const struct run *run, const struct darn_shared *shared,
                         const struct darn_section *section, const struct darn_point *point)
{
    uint32_t id = (uint32_t)darn_map_get(&run->first, darn_point_key(point), 0);

    for (; id; id = run->sites[id].next) {
        if (is_harmed(run, shared, section, id) &&
            is_point(section, point, darn_trace_site(run->trace, id)))
            return true;
    }
    return false;
}

static bool is_shared(const struct run *run, const struct darn_shared *shared,
                      const struct darn_section *section)
{
    for (uint32_t i = 0; i < section->count; i++) {
        if (is_access(&section->points[i]) &&
            is_shared_at(run, shared, section, &section->points[i]))
            return true;
    }
    for (uint32_t id = 1; darn_section_is_lines(section) && id < run->count; id++) {
        if (is_harmed(run, shared, section, id) &&
            has_site(section, darn_trace_site(run->trace, id)))
            return true;
    }
    return false;
}

static void keep(const struct run *run, const struct darn_shared *shared)
{
    struct darn_sharing *sharing = run->sharing;

    for (size_t i = 0; i < run->meant.count; i++)
        sharing->kept[run->of[i]] |= is_shared(run, shared, run->meant.list[i]);
}

/* 0 or DARN_REFUSED. */
static int read_run(struct run *run)
{
    struct darn_shared *shared;
    int status = 0;

    find_meant(run);
    shared = darn_shared_create(ask, run, run->harm);
    if (!shared || !read_sites(run)) {
        status = darn_tell_refusal(run->sharing->listener, "out of memory");
    } else if (!run->place_count && run->sharing->count && !run->is_program) {
        /* (The recorder leaves out sites whose memory no two threads touch: perhaps all.) */
        status = darn_tell_refusal(run->sharing->listener,
                                   "%s is of another program: it has none of the sites of %s",
                                   run->path, run->sharing->path);
    }
    if (!status)
        status = feed(run, shared);
    if (!status) {
        warn_of_gaps(run, shared);
        keep(run, shared);
    }
    darn_shared_destroy(shared);
    darn_map_free(&run->first);
    darn_map_free(&run->places);
    darn_map_free(&run->points);
    darn_sections_free(&run->meant);
    free(run->of);
    free(run->sites);
    return status;
}

int darn_sharing_read(struct darn_sharing *sharing, const char *path)
{
    struct run run = {.sharing = sharing, .path = path};
    char error[1024];
    int status;

    run.trace = darn_trace_open(path, false, error, sizeof(error));
    if (!run.trace)
        return darn_tell_refusal(sharing->listener, "%s", error);
    status = read_run(&run);
    darn_trace_close(run.trace);
    return status;
}

/* What was dropped before stays in the file. Says how many of the others do. */
size_t darn_sharing_choose(struct darn_sharing *sharing)
{
    struct darn_sections *sections = sharing->sections;
    size_t left = 0, at = 0;

    for (size_t i = 0; i < sections->count; i++) {
        bool was_dropped = sections->list[i]->why != NULL;

        left += !was_dropped && sharing->kept[i];
        if (was_dropped || sharing->kept[i])
            sections->list[at++] = sections->list[i];
    }
    sections->count = at;
    return left;
}

void darn_sharing_begin(struct darn_sharing *sharing)
{
    sharing->kept = darn_need_zeroed(sharing->sections->count + 1, sizeof(*sharing->kept));
    for (size_t i = 0; i < sharing->sections->count; i++) {
        sharing->count += !sharing->sections->list[i]->why;
        darn_map_put(&sharing->numbers, (uintptr_t)sharing->sections->list[i], i);
    }
}

void darn_sharing_end(struct darn_sharing *sharing)
{
    darn_map_free(&sharing->numbers);
    free(sharing->kept);
}
