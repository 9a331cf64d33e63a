/*
 * darn heal: runs a program so that thread bugs that are known do not happen.
 */
#include "driver/heal/healing.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "driver/explore/explore_keep.h"
#include "driver/heal/heal_deadlock.h"
#include "driver/process/launch.h"
#include "driver/process/output.h"
#include "driver/process/installation.h"
#include "driver/process/private.h"
#include "driver/process/program.h"
#include "driver/section/section_needed.h"

void darn_help_heal(void)
{
    printf("usage: darn heal [options] --sections=FILE -- PROGRAM [arguments]\n"
           "       darn heal [options] --from=DIR -- PROGRAM [arguments]\n"
           "       darn heal --from=DIR --write=FILE -- PROGRAM\n"
           "       darn heal --verify [options] --from=DIR -- PROGRAM [arguments]\n"
           "\n"
           "Runs a program so that thread bugs that are known do not happen: sections stay\n"
           "atomic, deadlocks are avoided. At the end it says what was healed, how long\n"
           "threads waited for that, and how to mend it for good. The exit status is the\n"
           "program's own; with --verify 0, or 1 when a schedule still fails. Sections are\n"
           "healed in programs that darn cc has compiled, deadlocks in all. In the field\n"
           "DARN_OPTIONS=heal=FILE does the same, without darn.\n"
           "\n"
           "--name=value may also be written as two words: --name value.\n"
           "\n");
    darn_print_options(darn_heal_options);
}

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

/* 0 or an exit status. */
static int find_program(struct darn_heal *heal)
{
    const char *name = heal->line.program[0];
    int status = darn_check_program("heal", name, true, heal->path, sizeof(heal->path));
    int kind = status ? 0 : darn_program_kind(heal->path);

    if (status)
        return status;
    if (kind < 0)
        return darn_refuse("heal", "%s cannot be read: %s", name, strerror(-kind));
    if (kind == DARN_PROGRAM_UNKNOWN)
        return darn_refuse("heal", "%s is neither a program nor a script that begins with #!",
                           name);
    if (kind == DARN_PROGRAM_SCRIPT && (heal->line.from || heal->line.verify))
        return darn_refuse("heal", "%s is a script: name the program that it starts", name);
    heal->compiled = kind == DARN_PROGRAM_SCRIPT || is_compiled(heal->path);
    if (heal->line.verify && !heal->compiled)
        return darn_refuse("heal", "--verify: %s was not compiled by darn; compile it with darn cc",
                           name);
    return 0;
}

static int check_output(const char *option, const char *path)
{
    int result = path ? darn_output_check(path) : 0;

    return result ? darn_refuse("heal", "%s: %s cannot be written: %s", option, path,
                                strerror(-result))
                  : 0;
}

static int check_outputs(const struct darn_heal_line *line)
{
    int status = check_output("--json", line->json);

    if (!status)
        status = check_output("--learn", line->learn);
    if (!status && line->write && strcmp(line->write, "-") != 0)
        status = check_output("--write", line->write);
    if (!status && line->directory)
        status = darn_explore_keep_check("heal", line->directory);
    return status;
}

/* What is given, and what the findings make. 0 or an exit status. */
static int make_repository(struct darn_heal *heal)
{
    const struct darn_heal_line *line = &heal->line;
    uint32_t errors = 0;
    int status = 0;

    if (line->sections)
        status = darn_section_file_load("heal", line->sections, &heal->repository, &errors);
    if (!status && errors && !heal->repository.count)
        status = darn_refuse("heal", "%s: nothing of it can be used", line->sections);
    if (!status && line->sections && darn_program_kind(heal->path) != DARN_PROGRAM_SCRIPT &&
        darn_heal_deadlocks_resolve(line->sections, heal->path, &heal->signatures))
        status = darn_refuse("heal", "%s cannot be read", line->sections);
    if (!status && line->from)
        status = darn_heal_findings_read(&heal->findings, line->from);
    if (!status && heal->compiled && darn_program_kind(heal->path) != DARN_PROGRAM_SCRIPT)
        status = darn_section_elf_read(&heal->elf, "heal", heal->path, true);
    if (!status && line->from)
        status = darn_heal_from(heal);
    return status;
}

static size_t count_sections(const struct darn_sections *sections)
{
    size_t count = 0;

    for (size_t i = 0; i < sections->count; i++)
        count += !sections->list[i]->why;
    return count;
}

/* 0 or an exit status. */
static int write_repository(const struct darn_heal *heal)
{
    const char *path = heal->line.write;
    size_t sections = count_sections(&heal->repository);
    int result = darn_heal_write(heal, path);

    if (result)
        return darn_refuse("heal", "--write: %s cannot be written: %s", path, strerror(-result));
    fprintf(stderr, "darn heal: %s: %zu section%s and %zu deadlock%s to be healed\n", path,
            sections, sections == 1 ? "" : "s", heal->signatures.count,
            heal->signatures.count == 1 ? "" : "s");
    return strcmp(path, "-") == 0 ? darn_finish_output() : 0;
}

/* The account of the run names sections by their lines in the file. */
static void reload(struct darn_heal *heal)
{
    uint32_t errors = 0;

    darn_sections_free(&heal->repository);
    (void)darn_section_file_load("heal", heal->file, &heal->repository, &errors);
}

/* The runtime reads a file: the one that was given, or one in a directory of ours. 0 or an exit
 * status. */
static int place_repository(struct darn_heal *heal)
{
    int result;

    heal->directory = darn_private_directory("heal");
    if (!heal->directory)
        return 2;
    if (!heal->line.from && !heal->signatures.count) {
        result = heal->line.sections
                     ? darn_absolute_path(heal->line.sections, heal->file, sizeof(heal->file))
                     : 0;
        return result ? darn_refuse("heal", "%s: %s", heal->line.sections, strerror(-result)) : 0;
    }
    /* A schedule that fails is replayed with it. */
    if (heal->line.directory) {
        char name[PATH_MAX];

        snprintf(name, sizeof(name), "%s/heal.sections", heal->line.directory);
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
    return result ? darn_refuse("heal", "the repository cannot be written: %s", strerror(-result))
                  : 0;
}

/* Sections in a program without sites: only deadlocks are healed. */
static void warn_of_sections(const struct darn_heal *heal)
{
    size_t sections = count_sections(&heal->repository);

    if (sections && !heal->compiled)
        darn_warn("heal",
                  "%s was not compiled by darn cc: %zu section%s cannot be healed, only deadlocks",
                  heal->line.program[0], sections, sections == 1 ? "" : "s");
}

static int heal_it(struct darn_heal *heal)
{
    int status = find_program(heal);

    if (!status)
        status = check_outputs(&heal->line);
    if (!status)
        status = make_repository(heal);
    if (!status && heal->line.from && !count_sections(&heal->repository) && !heal->signatures.count)
        status = darn_refuse("heal", "there is nothing to heal in %s", heal->line.from);
    if (status)
        return status;
    warn_of_sections(heal);
    if (heal->line.write)
        return write_repository(heal);
    status = place_repository(heal);
    if (status)
        return status;
    return heal->line.verify ? darn_heal_verify(heal) : darn_heal_run(heal);
}

int darn_cmd_heal(int argc, char **argv)
{
    static struct darn_heal heal;
    int status = darn_heal_read(&heal.line, argc, argv);

    if (status)
        return status;
    if (heal.line.help) {
        darn_help_heal();
        return darn_finish_output();
    }
    status = heal_it(&heal);
    darn_heal_findings_free(&heal.findings);
    darn_section_elf_free(&heal.elf);
    darn_sections_free(&heal.repository);
    darn_words_free(&heal.signatures);
    free(heal.fixes);
    return status;
}
