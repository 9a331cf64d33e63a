/*
 * What is healed: the program, and the repository for it.
 */
#include "driver/heal/healing.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/heal/heal_deadlock.h"
#include "driver/process/launch.h"
#include "driver/process/installation.h"
#include "driver/process/private.h"
#include "driver/process/program.h"
#include "driver/section/section_file.h"
#include "driver/section/section_needed.h"

/* Whether darn has compiled it, or a shared object that it needs. */
static bool is_compiled(const char *path)
{
    struct darn_words libs = {0};
    bool compiled = darn_program_kind(path) == DARN_PROGRAM_WATCHED;

    if (!compiled)
        darn_section_needed(path, &libs);
    compiled |= libs.count > 0;
    darn_words_free(&libs);
    return compiled;
}

int darn_heal_find_program(struct darn_heal *heal)
{
    const char *name = heal->options.program[0];
    int status =
        darn_check_program(heal->listener, name, DARN_PROGRAM_ANY, heal->path, sizeof(heal->path));
    int kind = status ? 0 : darn_program_kind(heal->path);

    if (status)
        return status;
    if (kind < 0)
        return darn_tell_refusal(heal->listener, "%s cannot be read: %s", name, strerror(-kind));
    if (kind == DARN_PROGRAM_UNKNOWN)
        return darn_tell_refusal(heal->listener,
                                 "%s is neither a program nor a script that begins with #!", name);
    if (kind == DARN_PROGRAM_SCRIPT && (heal->options.from || heal->options.verify))
        return darn_tell_refusal(heal->listener, "%s is a script: name the program that it starts",
                                 name);
    heal->compiled = kind == DARN_PROGRAM_SCRIPT || is_compiled(heal->path);
    if (heal->options.verify && !heal->compiled)
        return darn_tell_refusal(
            heal->listener, "--verify: %s was not compiled by darn; compile it with darn cc", name);
    return 0;
}

/* What is called in two lines and inlined there has one entry, and begins two sections. */
bool darn_heal_is_same(const struct darn_section *a, const struct darn_section *b)
{
    if (a->why || strcmp(a->variable, b->variable) != 0)
        return false;
    if (a->first || b->first)
        return a->first == b->first && a->last == b->last && strcmp(a->file, b->file) == 0 &&
               a->has_allow == b->has_allow && a->allow == b->allow;
    return a->kind == b->kind && a->count && b->count &&
           darn_point_key(&a->points[0]) == darn_point_key(&b->points[0]) &&
           a->points[0].at == b->points[0].at && strcmp(a->function, b->function) == 0;
}

/* Those from `first` on that are there before. */
static void drop_repeated(struct darn_sections *sections, size_t first)
{
    size_t kept = first;

    for (size_t i = first; i < sections->count; i++) {
        bool known = false;

        for (size_t j = 0; j < first && !known; j++)
            known = darn_heal_is_same(sections->list[j], sections->list[i]);
        if (!known)
            sections->list[kept++] = sections->list[i];
    }
    sections->count = kept;
}

static int read_file(struct darn_heal *heal, const char *path)
{
    size_t known = heal->repository.count;
    uint32_t errors = 0;
    int status = darn_section_file_load(heal->listener, path, &heal->repository, &errors);

    if (!status && errors && heal->repository.count == known)
        status = darn_tell_refusal(heal->listener, "%s: nothing of it can be used", path);
    if (!status && darn_program_kind(heal->path) != DARN_PROGRAM_SCRIPT &&
        darn_heal_deadlocks_resolve(heal->listener, path, heal->path, &heal->signatures) < 0)
        status = darn_tell_refusal(heal->listener, "%s cannot be read", path);
    if (known && !status)
        drop_repeated(&heal->repository, known);
    return status;
}

/* What is given, and what the findings make. 0 or DARN_REFUSED. */
static int read_repository(struct darn_heal *heal)
{
    const struct darn_heal_options *wanted = &heal->options;
    struct darn_words files = {0};
    int status = 0;

    if (wanted->sections)
        darn_section_files(wanted->sections, &files);
    for (size_t i = 0; i < files.count && !status; i++)
        status = read_file(heal, files.items[i]);
    heal->is_made = wanted->from || files.count > 1 || heal->signatures.count;
    darn_words_free(&files);
    if (!status && wanted->from)
        status = darn_heal_findings_read(heal->listener, &heal->findings, wanted->from);
    if (!status && heal->compiled && darn_program_kind(heal->path) != DARN_PROGRAM_SCRIPT)
        status = darn_section_elf_read(&heal->elf, heal->listener, heal->path, true);
    if (!status && wanted->from)
        darn_heal_from(heal);
    return status;
}

size_t darn_heal_sections(const struct darn_heal *heal)
{
    const struct darn_sections *sections = &heal->repository;
    size_t count = 0;

    for (size_t i = 0; i < sections->count; i++)
        count += !sections->list[i]->why;
    return count;
}

size_t darn_heal_orders(const struct darn_heal *heal)
{
    const struct darn_sections *sections = &heal->repository;
    size_t count = 0;

    for (size_t i = 0; i < sections->count; i++)
        count += !sections->list[i]->why && sections->list[i]->kind == DARN_SECTION_ORDER;
    return count;
}

/* Sections in a program without sites: only deadlocks are healed. */
static void warn_of_sections(const struct darn_heal *heal)
{
    size_t sections = darn_heal_sections(heal);

    if (sections && !heal->compiled)
        darn_tell_warning(
            heal->listener,
            "%s was not compiled by darn cc: %zu section%s cannot be healed, only deadlocks",
            heal->options.program[0], sections, sections == 1 ? "" : "s");
}

int darn_heal_make_repository(struct darn_heal *heal)
{
    int status = read_repository(heal);

    if (!status && heal->options.from && !darn_heal_sections(heal) && !heal->signatures.count)
        status =
            darn_tell_refusal(heal->listener, "there is nothing to heal in %s", heal->options.from);
    if (!status)
        warn_of_sections(heal);
    return status;
}

/* The account of the run names sections by their lines in the file. */
static void reload(struct darn_heal *heal)
{
    uint32_t errors = 0;

    darn_sections_free(&heal->repository);
    (void)darn_section_file_load(heal->listener, heal->file, &heal->repository, &errors);
}

/* The runtime reads a file: the one that was given, or one in a directory of ours. 0 or
 * DARN_REFUSED. */
int darn_heal_call_repository(struct darn_heal *heal)
{
    int result;

    heal->directory = darn_private_directory(heal->listener);
    if (!heal->directory)
        return DARN_REFUSED;
    if (!heal->is_made) {
        result = heal->options.sections
                     ? darn_absolute_path(heal->options.sections, heal->file, sizeof(heal->file))
                     : 0;
        return result ? darn_tell_refusal(heal->listener, "%s: %s", heal->options.sections,
                                          strerror(-result))
                      : 0;
    }
    /* A schedule that fails is replayed with it. */
    if (heal->options.directory) {
        char name[PATH_MAX];

        snprintf(name, sizeof(name), "%s/heal.sections", heal->options.directory);
        result = darn_absolute_path(name, heal->file, sizeof(heal->file));
    } else {
        result = (size_t)snprintf(heal->file, sizeof(heal->file), "%s/repository",
                                  heal->directory) >= sizeof(heal->file)
                     ? -ENAMETOOLONG
                     : 0;
    }
    if (!result)
        result = darn_heal_write(heal, heal->file);
    if (!result)
        reload(heal);
    return result ? darn_tell_refusal(heal->listener, "the repository cannot be written: %s",
                                      strerror(-result))
                  : 0;
}

/* To `out`, or to a file. 0 or a negative errno. */
static int write_whole(const struct darn_heal *heal, FILE *out, const char *path)
{
    struct darn_sections whole = heal->repository; /* the list is not ours to free */
    char *text = NULL;
    size_t length = 0;
    FILE *rest = open_memstream(&text, &length);
    int result;

    if (!rest)
        return -ENOMEM;
    darn_heal_deadlocks_write(rest, &heal->signatures);
    fclose(rest);
    whole.rest = text;
    result = out ? darn_section_file_print(out, &whole) : darn_section_file_write(path, &whole);
    free(text);
    return result;
}

int darn_heal_write(const struct darn_heal *heal, const char *path)
{
    return write_whole(heal, NULL, path);
}

int darn_heal_print(const struct darn_heal *heal, FILE *out)
{
    return write_whole(heal, out, NULL);
}

void darn_heal_free(struct darn_heal *heal)
{
    darn_heal_findings_free(&heal->findings);
    darn_section_elf_free(&heal->elf);
    darn_sections_free(&heal->repository);
    darn_words_free(&heal->signatures);
    free(heal->fixes);
}
