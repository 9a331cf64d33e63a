/*
 * darn sections infer: what the plugin has found, as a repository.
 */
#include <errno.h>
#include <string.h>

#include "driver/process/output.h"
#include "driver/section/section_merge.h"
#include "cli/sections.h"

#define COMMAND "sections infer"

enum { OUTPUT, KIND, ALL, NO_LIBS, HELP };

const struct darn_cli_option darn_sections_infer_options[] = {
    [OUTPUT] = {"-o", "FILE", "write the repository to FILE, not to the standard output"},
    [KIND] = {"--kind", "LIST",
              "these kinds, of load-and-store, test-and-use and pair,\n"
              "separated by commas (default: the first two)"},
    [ALL] = {"--all", NULL,
             "all kinds, and also pairs whose accesses are all in\n"
             "another section"},
    [NO_LIBS] = {"--no-libs", NULL, "the program alone, without its shared objects"},
    [HELP] = {"--help", NULL, "print this list"},
    {NULL, NULL, NULL},
};

struct infer {
    const char *output;
    unsigned kinds; /* by number; 0: not said */
    bool all, no_libs, help;
};

void darn_help_sections_infer(void)
{
    printf("usage: darn sections infer [options] PROGRAM\n"
           "       darn sections infer --runs=N [options] -- PROGRAM [arguments]\n"
           "\n"
           "Writes the sections that darn cc has found in the program and in the shared\n"
           "objects that it is linked with. With --runs the program is run, and what its\n"
           "threads do in runs that go well becomes sections; 'darn sections infer --runs=1\n"
           "--help' lists the options for that.\n"
           "\n");
    darn_print_options(darn_sections_infer_options);
}

/* 0 or an exit status. */
static int read_kinds(struct infer *infer, const char *list)
{
    while (*list) {
        size_t length = strcspn(list, ",");
        uint8_t kind = 0;

        while (kind <= DARN_SECTION_PAIR &&
               (strlen(darn_section_kind_name(kind)) != length ||
                strncmp(list, darn_section_kind_name(kind), length) != 0))
            kind++;
        if (kind > DARN_SECTION_PAIR)
            return darn_refuse(COMMAND,
                               "--kind: '%.*s' is none of load-and-store, test-and-use and pair",
                               (int)length, list);
        infer->kinds |= 1u << kind;
        list += length + (list[length] == ',');
    }
    return infer->kinds ? 0 : darn_refuse(COMMAND, "--kind: no kind is named");
}

static int set_option(void *to, int option, const char *value)
{
    struct infer *infer = to;

    if (option == KIND)
        return read_kinds(infer, value);
    if (option == OUTPUT)
        infer->output = value;
    infer->all |= option == ALL;
    infer->no_libs |= option == NO_LIBS;
    infer->help |= option == HELP;
    return 0;
}

static void choose(const struct infer *infer, struct darn_sections *sections)
{
    unsigned patterns = 1u << DARN_SECTION_LOAD_STORE | 1u << DARN_SECTION_TEST_USE;
    unsigned kinds = infer->kinds ? infer->kinds : infer->all ? ~0u : patterns;
    size_t kept = 0;

    if (!infer->all)
        darn_sections_drop_covered(sections);
    for (size_t i = 0; i < sections->count; i++) {
        if (kinds >> sections->list[i]->kind & 1)
            sections->list[kept++] = sections->list[i];
    }
    sections->count = kept;
}

static void warn(const struct darn_section_elf *elf, const char *program)
{
    if (elf->unknown)
        darn_warn(COMMAND, "%s: %u records of sections are damaged, or of another version of darn",
                  program, elf->unknown);
    if (elf->lost)
        darn_warn(COMMAND, "%s: %u sections begin or end at accesses that are not there", program,
                  elf->lost);
    if (elf->large)
        darn_warn(COMMAND, "%s: %u sections have more than %d points and were left out", program,
                  elf->large, DARN_SECTION_POINTS);
    if (!elf->sections.count)
        darn_warn(COMMAND, "%s: no section was found", program);
}

/* 0 or an exit status. */
static int write_out(const struct infer *infer, const struct darn_sections *sections)
{
    int result;

    if (!infer->output || strcmp(infer->output, "-") == 0) {
        result = darn_section_file_write("-", sections);
        if (result == -E2BIG)
            return darn_refuse(COMMAND, "a section is too long to be written");
        return darn_finish_output();
    }
    result = darn_section_file_write(infer->output, sections);
    if (result)
        return darn_refuse(COMMAND, "%s cannot be written: %s", infer->output, strerror(-result));
    printf("%s: %zu section%s", infer->output, sections->count, sections->count == 1 ? "" : "s");
    if (sections->count) {
        printf(": ");
        darn_sections_count(stdout, sections, false);
    }
    printf("\n");
    return darn_finish_output();
}

int darn_sections_infer(int argc, char **argv)
{
    struct infer infer = {.output = NULL};
    struct darn_section_elf elf;
    const char *program = NULL;
    int count, status = darn_sections_line(COMMAND, darn_sections_infer_options, argc, argv,
                                           set_option, &infer, &program, 1, &count);

    if (status)
        return status;
    if (infer.help) {
        darn_help_sections_infer();
        return darn_finish_output();
    }
    if (!count)
        return darn_refuse(COMMAND, "no program; usage: darn sections infer [options] PROGRAM");
    status = infer.output && strcmp(infer.output, "-") != 0 ? darn_output_check(infer.output) : 0;
    if (status)
        return darn_refuse(COMMAND, "%s cannot be written: %s", infer.output, strerror(-status));
    status = darn_section_elf_read(&elf, COMMAND, program, !infer.no_libs);
    if (!status) {
        warn(&elf, program);
        choose(&infer, &elf.sections);
        status = write_out(&infer, &elf.sections);
    }
    darn_section_elf_free(&elf);
    return status;
}
