/*
 * darn sections: the words behind it, and what they have in common.
 */
#include "cli/sections_line.h"

#include <string.h>

#include "cli/page.h"
#include "driver/process/output.h"

#define USAGE "darn sections infer|show|check|refine|shared ..."

static const struct darn_command *const parts[] = {
    &darn_sections_infer,
    &darn_sections_learn,
    &darn_sections_show,
    &darn_sections_check,
    &darn_sections_refine,
    &darn_sections_shared,
    NULL,
};

/* Behind infer: a program that is to be run. */
static bool has_command(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0 || strncmp(argv[i], "--runs", strlen("--runs")) == 0)
            return true;
    }
    return false;
}

static int cmd_sections(int argc, char **argv)
{
    if (argc < 2)
        return darn_refuse("sections", "nothing to do; usage: " USAGE);
    if (strcmp(argv[1], "--help") == 0) {
        darn_page_help(&darn_command_sections, stdout);
        return darn_finish_output();
    }
    if (strcmp(argv[1], "infer") == 0 && has_command(argc - 1, argv + 1))
        return darn_sections_learn.run(argc - 1, argv + 1);
    for (size_t i = 0; parts[i]; i++)
        if (strcmp(argv[1], strchr(parts[i]->name, ' ') + 1) == 0)
            return parts[i]->run(argc - 1, argv + 1);
    return darn_refuse("sections", "'%s' is none of infer, show, check, refine and shared",
                       argv[1]);
}

const struct darn_command darn_command_sections = {
    .name = "sections",
    .summary = "say which code should be atomic: infer, show, check, refine, shared",
    .usage = "sections infer [options] PROGRAM\n"
             "sections infer --runs=N [options] -- PROGRAM [arguments]\n"
             "sections show [options] FILE [PROGRAM]\n"
             "sections check [options] FILE PROGRAM\n"
             "sections refine [options] FILE -- PROGRAM [arguments]\n"
             "sections shared [options] FILE TRACE...",
    .about = "  infer     write down which code of a program should probably be atomic, as\n"
             "            darn cc has found it, or as runs that went well show it\n"
             "  show      print such a file as a table with the lines of the source\n"
             "  check     say which sections of the file do not fit the program\n"
             "  refine    run the program, and take out what correct runs violate\n"
             "  shared    take out what no two threads share in recorded runs\n"
             "\n"
             "FILE is the repository of the sections, JSON that is made to be edited; darn run\n"
             "--sections=FILE reports violations of what is in it.\n"
             "'darn sections WORD --help' lists the options of each.\n",
    .parts = parts,
    .guarded = true,
    .exits = "0 it was done, and everything fits\n"
             "1 show, check: something is wrong; refine: it came to no end",
    .see = "darn-sections-infer(1), darn-sections-show(1), darn-sections-check(1), "
           "darn-sections-refine(1), darn-sections-shared(1), "
           "darn-run(1), darn-hunt(1), darn-heal(1), darn-record(1)",
    .run = cmd_sections,
};

int darn_sections_check_output(const char *command, const char *path)
{
    if (!path || strcmp(path, "-") == 0)
        return 0;
    return darn_refuse_output(command, "", path, darn_output_check(path));
}

int darn_sections_write(const char *path, const struct darn_sections *sections)
{
    return strcmp(path, "-") == 0 ? darn_section_file_print(stdout, sections)
                                  : darn_section_file_write(path, sections);
}

size_t darn_sections_count(FILE *out, const struct darn_sections *sections, bool dropped)
{
    size_t counts[DARN_SECTION_KINDS] = {0}, all = 0;
    const char *separator = "";

    for (size_t i = 0; i < sections->count; i++) {
        if (dropped != (sections->list[i]->why != NULL))
            continue;
        counts[sections->list[i]->kind]++;
        all++;
    }
    for (uint8_t kind = 0; kind < DARN_SECTION_KINDS; kind++) {
        if (!counts[kind])
            continue;
        fprintf(out, "%s%zu %s", separator, counts[kind], darn_section_kind_name(kind));
        separator = ", ";
    }
    return all;
}

const char *darn_section_allow_text(uint8_t allow)
{
    static const char *const names[] = {"none", "read", "write", "read,write"};

    return names[allow & DARN_ALLOW_ALL];
}
