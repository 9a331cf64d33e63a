/*
 * darn sections infer: what the plugin has found, as a repository.
 */
#include <errno.h>
#include <string.h>

#include "driver/section/section_merge.h"
#include "cli/sections_line.h"

#define COMMAND "sections infer"

struct infer {
    const char *output;
    unsigned kinds; /* by number; 0: not said */
    bool all, no_libs;
};

static int set_kinds(void *to, const char *list, char *error, size_t size)
{
    unsigned *kinds = to;

    while (*list) {
        size_t length = strcspn(list, ",");
        uint8_t kind = 0;

        while (kind <= DARN_SECTION_PAIR &&
               (strlen(darn_section_kind_name(kind)) != length ||
                strncmp(list, darn_section_kind_name(kind), length) != 0))
            kind++;
        if (kind > DARN_SECTION_PAIR) {
            snprintf(error, size, "--kind: '%.*s' is none of load-and-store, test-and-use and pair",
                     (int)length, list);
            return -EINVAL;
        }
        *kinds |= 1u << kind;
        list += length + (list[length] == ',');
    }
    if (!*kinds)
        snprintf(error, size, "--kind: no kind is named");
    return *kinds ? 0 : -EINVAL;
}

#define AT(field) offsetof(struct infer, field)

static const struct darn_option options[] = {
    DARN_ROW_REPOSITORY(AT(output)),
    {.name = "kind",
     .type = DARN_OPTION_OWN,
     .offset = AT(kinds),
     .value = "LIST",
     .set = set_kinds,
     .help = "these kinds, of load-and-store, test-and-use and pair,\n"
             "separated by commas (default: the first two)"},
    {.name = "all",
     .type = DARN_OPTION_FLAG,
     .offset = AT(all),
     .help = "all kinds, and also pairs whose accesses are all in\n"
             "another section"},
    {.name = "no-libs",
     .type = DARN_OPTION_FLAG,
     .offset = AT(no_libs),
     .help = "the program alone, without its shared objects"},
    DARN_ROW_HELP,
    {.name = NULL},
};

#undef AT

static const struct darn_option_group groups[] = {{.options = options}, {.options = NULL}};

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
        (void)darn_section_file_print(stdout, sections);
        return darn_finish_output();
    }
    result = darn_sections_write(infer->output, sections);
    if (result)
        return darn_refuse_output(COMMAND, "", infer->output, result);
    printf("%s: %zu section%s", infer->output, sections->count, sections->count == 1 ? "" : "s");
    if (sections->count) {
        printf(": ");
        darn_sections_count(stdout, sections, false);
    }
    printf("\n");
    return darn_finish_output();
}

static int infer_sections(int argc, char **argv)
{
    struct infer infer = {.output = NULL};
    struct darn_command_line line = {.command = &darn_sections_infer, .to = &infer};
    struct darn_section_elf elf;
    int status;

    if (!darn_line_read(&line, argc, argv, &status))
        return status;
    if (!line.count)
        return darn_refuse(COMMAND, "no program; usage: darn sections infer [options] PROGRAM");
    status = darn_sections_check_output(COMMAND, infer.output);
    if (status)
        return status;
    status = darn_section_elf_read(&elf, darn_speaker(COMMAND), line.words[0], !infer.no_libs);
    if (!status) {
        warn(&elf, line.words[0]);
        choose(&infer, &elf.sections);
        status = write_out(&infer, &elf.sections);
    }
    darn_section_elf_free(&elf);
    return status;
}

const struct darn_command darn_sections_infer = {
    .name = COMMAND,
    .summary = "write down which code of a program should probably be atomic",
    .usage = "sections infer [options] PROGRAM\n"
             "sections infer --runs=N [options] -- PROGRAM [arguments]",
    .about = "Writes the sections that darn cc has found in the program and in the shared\n"
             "objects that it is linked with. With --runs the program is run, and what its\n"
             "threads do in runs that go well becomes sections; 'darn sections infer --runs=1\n"
             "--help' lists the options for that.\n",
    .groups = groups,
    .operands = "PROGRAM",
    .most = 1,
    .anywhere = true,
    .exits = "0 the sections are written\n"
             "128+N --runs: signal N has interrupted it; what was known is written",
    .see = "darn-sections(1), darn-sections-refine(1), darn-cc(1)",
    .run = infer_sections,
};
