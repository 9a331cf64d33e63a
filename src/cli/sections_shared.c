/*
 * darn sections shared: of a repository, the sections whose variable threads really share, in a
 * way that the section does not allow, as recorded runs show it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "driver/analysis/gaps.h"
#include "driver/process/output.h"
#include "driver/process/program.h"
#include "cli/sections.h"
#include "engine/atomicity/shared.h"
#include "section/resolve.h"
#include "site/site.h"
#include "trace/trace.h"

#define COMMAND  "sections shared"
#define IS_POINT (DARN_ALLOW_ALL + 1u)

enum { OUTPUT, HELP };

const struct darn_cli_option darn_sections_shared_options[] = {
    [OUTPUT] = {"-o", "FILE", "write the repository to FILE, not to the standard output"},
    [HELP] = {"--help", NULL, "print this list"},
    {NULL, NULL, NULL},
};

struct keeping {
    const char *output, *path; /* of the repositories; output may be NULL */
    bool help;
    struct darn_sections sections;
    struct darn_map points; /* the keys of all entries and ends: IS_POINT, and what harms there */
    uint8_t harm;           /* what harms anywhere: enum darn_section_allow, or-ed */
    size_t count;           /* of the sections, without those that were dropped before */
    bool *kept;             /* by section */
};

/* One trace. */
struct run {
    struct keeping *keeping;
    const char *path;
    struct darn_trace *trace;
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

void darn_help_sections_shared(void)
{
    printf("usage: darn sections shared [options] FILE TRACE...\n"
           "\n"
           "Writes those sections of the repository FILE whose variable threads share in one\n"
           "of the traces (darn record): two threads access it, one of them writes, and\n"
           "nothing puts the two in order, or a lock that both hold. What one thread hands\n"
           "over to the next, by a queue, a start or a join, is not shared. Nor does count\n"
           "what the section allows, such as reads of what one thread alone writes.\n"
           "\n");
    darn_print_options(darn_sections_shared_options);
}

static int set_option(void *to, int option, const char *value)
{
    struct keeping *keeping = to;

    if (option == OUTPUT)
        keeping->output = value;
    keeping->help |= option == HELP;
    return 0;
}

static bool is_access(const struct darn_point *point)
{
    return point->role == DARN_ROLE_ENTRY || point->role == DARN_ROLE_END;
}

/* What others may not do while a thread is inside: what one of the ends does not allow, as where it
 * is healed (runtime/heal/cures_match.c). A race, which has none, and lines that say nothing are harmed
 * by whatever conflicts with them. */
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

static unsigned at_point(const struct keeping *keeping, uint64_t key)
{
    return key ? (unsigned)darn_map_get(&keeping->points, key, 0) : 0;
}

static void add_points(struct keeping *keeping)
{
    for (size_t i = 0; i < keeping->sections.count; i++) {
        const struct darn_section *section = keeping->sections.list[i];

        if (section->why)
            continue;
        keeping->count++;
        keeping->harm |= harm_of(section);
        for (uint32_t j = 0; j < section->count; j++) {
            uint64_t key = darn_point_key(&section->points[j]);

            if (is_access(&section->points[j]))
                darn_map_put(&keeping->points, key,
                             at_point(keeping, key) | harm_of(section) | IS_POINT);
        }
    }
}

/* A site in an inlined function is only a point in the copy that the section's function has, called
 * in the right line, as in the program itself (runtime/section/rules_match.c). */
static bool is_point(const struct darn_section *section, const struct darn_point *point,
                     const struct darn_trace_site *site)
{
    uint32_t call = (uint32_t)site->inlined;

    if (!site->has_copy || section->kind == DARN_SECTION_LEARNED ||
        (site->function && strcmp(site->function, section->function) == 0))
        return true;
    return call ? call == darn_site_call_of(section->function, point->at)
                : section->inside & DARN_SECTION_ACROSS;
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
static unsigned asked_about(const struct keeping *keeping, const struct darn_trace_site *site)
{
    unsigned asked = at_point(keeping, site->key);

    for (size_t i = 0; i < keeping->sections.count; i++) {
        if (has_site(keeping->sections.list[i], site))
            asked |= IS_POINT | harm_of(keeping->sections.list[i]);
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
        unsigned asked = site && site->key ? asked_about(run->keeping, site) : 0;

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

/* The recorder leaves out sites whose memory no two threads touch: perhaps all of them. */
static bool is_in_program(const struct keeping *keeping, const char *program)
{
    struct darn_section_elf elf;
    bool found = false;

    if (!program || darn_program_kind(program) != DARN_PROGRAM_WATCHED ||
        darn_section_elf_read(&elf, COMMAND, program, true))
        return false;
    for (size_t i = 0; i < elf.site_count && !found; i++)
        found = at_point(keeping, elf.sites[i].key) != 0;
    for (size_t i = 0; i < elf.sections.count && !found; i++) {
        for (size_t j = 0; j < keeping->sections.count && !found; j++)
            found = darn_section_applies(keeping->sections.list[j], elf.sections.list[i]);
    }
    darn_section_elf_free(&elf);
    return found;
}

static int feed(const struct run *run, struct darn_shared *shared)
{
    struct darn_event event;
    int result;

    while ((result = darn_trace_next(run->trace, &event)) > 0)
        darn_shared_event(shared, &event);
    return result < 0 ? darn_refuse(COMMAND, "%s", darn_trace_error(run->trace)) : 0;
}

/* What is missing may be what would have shown a section. */
static void warn_of_gaps(const struct run *run, const struct darn_shared *shared)
{
    uint64_t dropped = darn_shared_cost(shared).dropped;

    darn_warn_of_gaps(COMMAND, run->path, run->trace);
    if (dropped)
        darn_warn(COMMAND,
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
    struct keeping *keeping = run->keeping;

    for (size_t i = 0; i < keeping->sections.count; i++)
        keeping->kept[i] = keeping->kept[i] || is_shared(run, shared, keeping->sections.list[i]);
}

/* 0 or an exit status. */
static int read_run(struct run *run)
{
    struct darn_shared *shared = darn_shared_create(ask, run, run->keeping->harm);
    int status = 0;

    if (!shared || !read_sites(run)) {
        status = darn_refuse(COMMAND, "out of memory");
    } else if (!run->place_count && run->keeping->count &&
               !is_in_program(run->keeping, darn_trace_about(run->trace).program)) {
        status = darn_refuse(COMMAND, "%s is of another program: it has none of the sites of %s",
                             run->path, run->keeping->path);
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
    free(run->sites);
    return status;
}

static int read_trace(struct keeping *keeping, const char *path)
{
    struct run run = {.keeping = keeping, .path = path};
    char error[1024];
    int status;

    run.trace = darn_trace_open(path, false, error, sizeof(error));
    if (!run.trace)
        return darn_refuse(COMMAND, "%s", error);
    status = read_run(&run);
    darn_trace_close(run.trace);
    return status;
}

/* What was dropped before stays in the file. Says how many of the others do. */
static size_t choose(struct keeping *keeping)
{
    struct darn_sections *sections = &keeping->sections;
    size_t left = 0, at = 0;

    for (size_t i = 0; i < sections->count; i++) {
        bool was_dropped = sections->list[i]->why != NULL;

        left += !was_dropped && keeping->kept[i];
        if (was_dropped || keeping->kept[i])
            sections->list[at++] = sections->list[i];
    }
    sections->count = at;
    return left;
}

/* 0 or an exit status. */
static int write_out(struct keeping *keeping)
{
    const char *output = keeping->output ? keeping->output : "-";
    size_t left = choose(keeping), all = keeping->count;
    int result = darn_section_file_write(output, &keeping->sections);

    if (result == -E2BIG)
        return darn_refuse(COMMAND, "a section is too long to be written");
    if (result && strcmp(output, "-") != 0)
        return darn_refuse(COMMAND, "%s cannot be written: %s", output, strerror(-result));
    fprintf(stderr, "darn sections: %zu of %zu section%s %s that threads share\n", left, all,
            all == 1 ? "" : "s", left == 1 ? "is of a variable" : "are of variables");
    return darn_finish_output();
}

/* What can be refused before a trace is read. 0 or an exit status. */
static int prepare(struct keeping *keeping)
{
    const char *output = keeping->output;
    uint32_t errors = 0;
    int status = output && strcmp(output, "-") != 0 ? darn_output_check(output) : 0;

    if (status)
        return darn_refuse(COMMAND, "%s cannot be written: %s", output, strerror(-status));
    status = darn_section_file_load(COMMAND, keeping->path, &keeping->sections, &errors);
    if (status)
        return status;
    /* The rest would be written, and what could not be read would be lost. */
    if (errors && output && strcmp(output, keeping->path) == 0)
        return darn_refuse(COMMAND,
                           "%s has %" PRIu32 " fault%s; mend it, or have the rest written to "
                           "another file with -o",
                           output, errors, errors == 1 ? "" : "s");
    if (errors && !keeping->sections.count)
        return darn_refuse(COMMAND, "%s: nothing of it can be used", keeping->path);
    keeping->kept = calloc(keeping->sections.count + 1, sizeof(*keeping->kept));
    if (!keeping->kept)
        return darn_refuse(COMMAND, "out of memory");
    add_points(keeping);
    return 0;
}

int darn_sections_shared(int argc, char **argv)
{
    struct keeping keeping = {.output = NULL};
    const char **words = calloc((size_t)argc, sizeof(*words));
    int count = 0, status;

    if (!words)
        return darn_refuse(COMMAND, "out of memory");
    status = darn_sections_line(COMMAND, darn_sections_shared_options, argc, argv, set_option,
                                &keeping, words, argc, &count);
    if (!status && keeping.help) {
        darn_help_sections_shared();
        free(words);
        return darn_finish_output();
    }
    if (!status && count < 2)
        status = darn_refuse(COMMAND, "%s; usage: darn sections shared [options] FILE TRACE...",
                             count ? "no trace" : "no file of sections");
    keeping.path = words[0];
    if (!status)
        status = prepare(&keeping);
    for (int i = 1; i < count && !status; i++)
        status = read_trace(&keeping, words[i]);
    if (!status)
        status = write_out(&keeping);
    darn_sections_free(&keeping.sections);
    darn_map_free(&keeping.points);
    free(keeping.kept);
    free(words);
    return status;
}
