#include "driver/section/section_meaning.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "section/match.h"

struct search {
    const struct darn_section_meaning *meaning;
    struct darn_match match;
    struct darn_match_wanted *wanted; /* as many as the repository has */
    struct darn_section_point *points;
    struct darn_section section; /* where the program has the one that is told of */
};

static void *allocated(size_t count, size_t size)
{
    return darn_need_memory(calloc(count + 1, size));
}

static size_t count_points(const struct darn_sections *sections)
{
    size_t count = 0;

    for (size_t i = 0; i < sections->count; i++)
        count += sections->list[i]->count;
    return count;
}

static void copy(struct darn_section *to, const struct darn_section *from)
{
    memcpy(to, from, offsetof(struct darn_section, points) + from->count * sizeof(from->points[0]));
}

/* ---- its sections ---- */

static void tell(void *context, struct darn_match_wanted *wanted,
                 const struct darn_match_found *found)
{
    struct search *search = context;
    const struct darn_section_meaning *meaning = search->meaning;
    const struct darn_section *own = meaning->repository->list[wanted - search->wanted];
    const struct darn_section *recorded = meaning->elf->sections.list[found - search->match.found];

    if (!meaning->meant)
        return;
    copy(&search->section, recorded);
    search->section.kind = own->kind;
    for (uint32_t i = 0; i < recorded->count; i++) {
        if (recorded->points[i].role == DARN_ROLE_END)
            search->section.points[i].allow =
                darn_match_allow(wanted, &found->section, &found->section.points[i]);
    }
    meaning->meant(meaning->context,
                   &(struct darn_section_meant){own, recorded, &search->section, wanted->how});
}

/* ---- its accesses ---- */

struct site_walk {
    const struct darn_section_elf *elf;
    size_t at;
};

static void rewind_sites(void *context)
{
    struct site_walk *walk = context;

    walk->at = 0;
}

static bool next_site(void *context, struct darn_match_site *site)
{
    struct site_walk *walk = context;
    const struct darn_elf_site *at = &walk->elf->sites[walk->at];

    if (walk->at == walk->elf->site_count)
        return false;
    walk->at++;
    *site = (struct darn_match_site){.key = at->key,
                                     .file = at->site.file,
                                     .function = at->site.function,
                                     .variable = at->site.variable,
                                     .kind = at->site.record.kind};
    return true;
}

/* A race has one point. */
static void move_race(struct darn_section *race, const struct darn_image_site *site)
{
    race->points[0].file = site->file;
    race->points[0].line = race->points[0].at = site->record.line;
    race->points[0].column = site->record.column;
}

static void find_by_sites(struct search *search, struct darn_match_wanted *wanted)
{
    const struct darn_section_meaning *meaning = search->meaning;
    const struct darn_section *own = meaning->repository->list[wanted - search->wanted];
    struct site_walk walk = {meaning->elf, 0};
    struct darn_match_sites sites = {rewind_sites, next_site, &walk};
    uint64_t key;

    wanted->how = darn_match_by_sites(&wanted->section, &sites, &key);
    if (wanted->how == DARN_MATCH_NONE || !meaning->meant)
        return;
    copy(&search->section, own);
    if (key)
        move_race(&search->section, darn_section_elf_site(meaning->elf, key));
    meaning->meant(meaning->context,
                   &(struct darn_section_meant){own, NULL, &search->section, wanted->how});
}

/* ---- all of it ---- */

static void add_sections(struct search *search)
{
    const struct darn_sections *repository = search->meaning->repository;
    const struct darn_sections *recorded = &search->meaning->elf->sections;
    struct darn_section_point *next = search->points;
    struct darn_match *match = &search->match;

    for (size_t i = 0; i < recorded->count; i++) {
        match->found[match->found_count++].section = darn_match_of_section(recorded->list[i], next);
        next += recorded->list[i]->count;
    }
    for (size_t i = 0; i < repository->count; i++) {
        search->wanted[i].section = darn_match_of_wanted(repository->list[i], next);
        next += repository->list[i]->count;
        if (!repository->list[i]->why)
            match->wanted[match->wanted_count++] = &search->wanted[i];
    }
}

struct darn_section_answer *darn_section_answers(const struct darn_section_meaning *meaning)
{
    size_t count = meaning->repository->count, recorded = meaning->elf->sections.count;
    struct darn_section_answer *answers = allocated(count, sizeof(*answers));
    struct search *search = allocated(1, sizeof(*search));
    struct darn_match *match = &search->match;

    search->meaning = meaning;
    search->wanted = allocated(count, sizeof(*search->wanted));
    search->points =
        allocated(count_points(meaning->repository) + count_points(&meaning->elf->sections),
                  sizeof(*search->points));
    *match = (struct darn_match){.wanted = allocated(count, sizeof(*match->wanted)),
                                 .found = allocated(recorded, sizeof(*match->found)),
                                 .meant = tell,
                                 .context = search};
    add_sections(search);
    darn_match_module(match);
    for (uint32_t i = 0; i < match->wanted_count; i++) {
        if (match->wanted[i]->how == DARN_MATCH_NONE)
            find_by_sites(search, match->wanted[i]);
    }
    for (size_t i = 0; i < count; i++)
        answers[i] = (struct darn_section_answer){search->wanted[i].how, search->wanted[i].why};
    free(match->found);
    free(match->wanted);
    free(search->points);
    free(search->wanted);
    free(search);
    return answers;
}
