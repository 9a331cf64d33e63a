/*
 * darn sections: the words behind it, and what they have in common.
 */
#include "cli/sections.h"

#include <string.h>

#include "cli/command.h"

#define USAGE "darn sections infer|show|check|refine|shared ..."

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} words[] = {
    {"infer", darn_sections_infer},   {"show", darn_sections_show},
    {"check", darn_sections_check},   {"refine", darn_sections_refine},
    {"shared", darn_sections_shared},
};

void darn_help_sections(void)
{
    printf("usage: darn sections infer [options] PROGRAM\n"
           "       darn sections infer --runs=N [options] -- PROGRAM [arguments]\n"
           "       darn sections show [options] FILE [PROGRAM]\n"
           "       darn sections check [options] FILE PROGRAM\n"
           "       darn sections refine [options] FILE -- PROGRAM [arguments]\n"
           "       darn sections shared [options] FILE TRACE...\n"
           "\n"
           "  infer     write down which code of a program should probably be atomic, as\n"
           "            darn cc has found it, or as runs that went well show it\n"
           "  show      print such a file as a table with the lines of the source\n"
           "  check     say which sections of the file do not fit the program\n"
           "  refine    run the program, and take out what correct runs violate\n"
           "  shared    take out what no two threads share in recorded runs\n"
           "\n"
           "FILE is the repository of the sections, JSON that is made to be edited; darn run\n"
           "--sections=FILE reports violations of what is in it.\n"
           "'darn sections WORD --help' lists the options of each.\n");
}

/* Behind infer: a program that is to be run. */
static bool has_command(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0 || strncmp(argv[i], "--runs", strlen("--runs")) == 0)
            return true;
    }
    return false;
}

int darn_cmd_sections(int argc, char **argv)
{
    if (argc < 2)
        return darn_refuse("sections", "nothing to do; usage: " USAGE);
    if (strcmp(argv[1], "--help") == 0) {
        darn_help_sections();
        return darn_finish_output();
    }
    if (strcmp(argv[1], "infer") == 0 && has_command(argc - 1, argv + 1))
        return darn_sections_learn(argc - 1, argv + 1);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcmp(argv[1], words[i].name) == 0)
            return words[i].run(argc - 1, argv + 1);
    }
    return darn_refuse("sections", "'%s' is none of infer, show, check, refine and shared",
                       argv[1]);
}

int darn_sections_line(const char *command, const struct darn_cli_option *table, int argc,
                       char **argv, darn_line_set *set, void *to, const char **found, int most,
                       int *count)
{
    int at = 1;
    bool only_words = false;

    *count = 0;
    while (at < argc) {
        if (!only_words && argv[at][0] == '-' && argv[at][1]) {
            int rest, status = darn_line_read(command, table, argc - at + 1, argv + at - 1, set, to,
                                              &rest);

            if (status)
                return status;
            at += rest - 1;
            only_words = strcmp(argv[at - 1], "--") == 0;
            continue;
        }
        if (*count == most)
            return darn_refuse(command, "'%s' is too much; 'darn %s --help' says what is wanted",
                               argv[at], command);
        found[(*count)++] = argv[at++];
    }
    return 0;
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

const char *darn_section_lines_text(struct darn_text_pool *pool, const struct darn_section *section)
{
    if (section->first == section->last)
        return darn_pool_format(pool, "%s:%u %s", section->file, section->first, section->variable);
    return darn_pool_format(pool, "%s:%u-%u %s", section->file, section->first, section->last,
                            section->variable);
}

const char *darn_section_allow_text(uint8_t allow)
{
    static const char *const names[] = {"none", "read", "write", "read,write"};

    return names[allow & DARN_ALLOW_ALL];
}
