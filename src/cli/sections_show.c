/*
 * darn sections show: a repository as a table.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/options.h"
#include "report/text/color.h"
#include "cli/sections_line.h"
#include "driver/section/section_meaning.h"
#include "report/story/snapshot_line.h"
#include "report/text/source.h"
#include "section/match.h"

#define COMMAND "sections show"
#define WIDEST  32 /* column; longer names push what follows to the right */

struct show {
    bool source, dropped;
    struct darn_sections sections;
    struct darn_section_elf elf;         /* empty when no program was given */
    struct darn_section_answer *answers; /* what each section means in the program, */
    struct darn_sections meant; /* where the program has those that are not at their place, */
    const struct darn_section **wanted; /* and which of the repository means them; as many */
    size_t wanted_room;
    struct darn_text_pool pool;
    struct darn_ink ink;
};

enum { NUMBER, KIND, VARIABLE, FUNCTION, PLACE, ALLOW, INSIDE, COLUMNS };

struct row {
    const char *cells[COLUMNS];
};

#define AT(field) offsetof(struct show, field)

static const struct darn_option options[] = {
    {.name = "source",
     .type = DARN_OPTION_BOOL,
     .offset = AT(source),
     .initial = "yes",
     .value = "yes|no",
     .help = "with the lines of the source"},
    {.name = "dropped",
     .type = DARN_OPTION_FLAG,
     .offset = AT(dropped),
     .help = "also those that were dropped, and why"},
    DARN_ROW_HELP,
    {.name = NULL},
};

#undef AT

static const struct darn_option_group groups[] = {{.options = options}, {.options = NULL}};

/* `14`, or `util.h:14` when that is another file than the section's. */
static const char *place_text(struct show *show, const struct darn_section *section,
                              const struct darn_point *point)
{
    if (strcmp(point->file, section->file) == 0)
        return darn_pool_format(&show->pool, "%u", point->line);
    return darn_pool_format(&show->pool, "%s:%u", point->file, point->line);
}

/* `bank.c:12 -> 14, 17` */
static const char *way_text(struct show *show, const struct darn_section *section)
{
    const char *text =
        darn_pool_format(&show->pool, "%s:%u", section->points[0].file, section->points[0].line);
    const char *separator = " -> ";

    for (uint32_t i = 0; i < section->count; i++) {
        if (section->points[i].role != DARN_ROLE_END)
            continue;
        text = darn_pool_format(&show->pool, "%s%s%s", text, separator,
                                place_text(show, section, &section->points[i]));
        separator = ", ";
    }
    return text;
}

/* One set when all ends have the same, else one for each. */
static const char *allow_text(struct show *show, const struct darn_section *section)
{
    const char *text = NULL, *all = NULL;
    bool same = true;
    uint8_t first = 0;

    for (uint32_t i = 0; i < section->count; i++) {
        const struct darn_point *point = &section->points[i];
        const char *name = darn_section_allow_text(point->allow);

        if (point->role != DARN_ROLE_END)
            continue;
        if (!text)
            first = point->allow;
        same = same && point->allow == first;
        all = all ? darn_pool_format(&show->pool, "%s; %s", all, name) : name;
        text = text ? text : name;
    }
    return same ? text : all;
}

static const char *inside_text(struct show *show, const struct darn_section *section)
{
    const char *text = "", *name;

    for (unsigned bit = 0; (name = darn_section_inside_name(bit)); bit++) {
        if (section->inside >> bit & 1)
            text = *text ? darn_pool_format(&show->pool, "%s, %s", text, name) : name;
    }
    return text;
}

static void fill_row(struct show *show, struct row *row, const char *number,
                     const struct darn_section *section)
{
    *row = (struct row){{
        [NUMBER] = number,
        [KIND] = darn_section_kind_name(section->kind),
        [VARIABLE] = *section->variable ? section->variable : "-",
        [FUNCTION] = *section->function ? section->function : "-",
    }};
    if (darn_section_is_lines(section)) {
        row->cells[PLACE] =
            darn_pool_format(&show->pool, "%s:%u-%u", section->file, section->first, section->last);
        row->cells[ALLOW] = section->has_allow ? darn_section_allow_text(section->allow) : "-";
        row->cells[INSIDE] = "";
        return;
    }
    row->cells[PLACE] = way_text(show, section);
    row->cells[ALLOW] = allow_text(show, section);
    row->cells[INSIDE] = inside_text(show, section);
}

static void put_row(struct show *show, const struct row *row, const unsigned *widths)
{
    for (int i = 0; i < COLUMNS; i++) {
        unsigned width = darn_columns(row->cells[i]);
        bool last = i == INSIDE || (i == ALLOW && !*row->cells[INSIDE]);

        darn_say(&show->ink, "%s", row->cells[i]);
        if (last)
            break;
        darn_say(&show->ink, "%*s", (int)(width < widths[i] ? widths[i] - width : 0) + 2, "");
    }
    darn_say(&show->ink, "\n");
}

/* Where the compiler ran, if the program tells. */
static const char *directory_of(const struct show *show, const struct darn_point *point)
{
    const struct darn_image_site *site = darn_section_elf_site(&show->elf, darn_point_key(point));

    return site ? site->dir : NULL;
}

static void put_source(struct show *show, const struct darn_section *section)
{
    const struct darn_point *before = NULL;

    for (uint32_t i = 0; i < section->count; i++) {
        const struct darn_point *point = &section->points[i];

        if (point->role != DARN_ROLE_ENTRY && point->role != DARN_ROLE_END)
            continue;
        /* x += 1 is a read and a write at one place. */
        if (before && before->line == point->line && before->column == point->column)
            continue;
        darn_source_show(&show->ink, directory_of(show, point), point->file, point->line,
                         point->column);
        before = point;
    }
}

/* Told of all that the program has. */
static void note_meant(void *context, const struct darn_section_meant *meant)
{
    struct show *show = context;

    if (!darn_section_is_lines(meant->wanted) && meant->how != DARN_MATCH_MOVED)
        return;
    show->wanted = darn_grow((void *)show->wanted, &show->wanted_room, show->meant.count + 1,
                             sizeof(*show->wanted));
    show->wanted[show->meant.count] = meant->wanted;
    darn_sections_add(&show->meant, meant->recorded ? meant->recorded : meant->section);
}

/* What a section means in the program, if that is not what its row says. */
static void put_meant(struct show *show, const struct darn_section *wanted, uint8_t how)
{
    for (size_t i = 0; i < show->meant.count; i++) {
        const struct darn_section *section = show->meant.list[i];

        if (show->wanted[i] != wanted)
            continue;
        darn_say(&show->ink, "      means %s of %s in %s: %s\n",
                 darn_section_kind_name(section->kind), section->variable, section->function,
                 way_text(show, section));
        if (show->source)
            put_source(show, section);
    }
    if (how == DARN_MATCH_NONE)
        darn_say(&show->ink, "      means nothing in this program\n");
    else if (how == DARN_MATCH_PART)
        darn_say(&show->ink, "      is not whole in this program: some of its ends are missing\n");
}

static void put_section(struct show *show, size_t index, const struct row *row,
                        const unsigned *widths)
{
    const struct darn_section *section = show->sections.list[index];

    put_row(show, row, widths);
    if (section->why)
        darn_say(&show->ink, "      dropped: %s\n",
                 *section->why ? section->why : "no reason is given");
    if (show->answers && !section->why)
        put_meant(show, section, show->answers[index].how);
    if (!darn_section_is_lines(section) && show->source &&
        !(show->answers && show->answers[index].how == DARN_MATCH_MOVED))
        put_source(show, section);
}

static bool is_shown(const struct show *show, const struct darn_section *section)
{
    return !section->why || show->dropped;
}

static void put_table(struct show *show)
{
    static const struct row titles = {
        {"#", "kind", "variable", "function", "entry -> ends", "allow", "inside"}};
    size_t count = show->sections.count, number = 0;
    struct row *rows = darn_pool_get(&show->pool, count + 1, sizeof(*rows));
    unsigned widths[COLUMNS];

    for (int i = 0; i < COLUMNS; i++)
        widths[i] = darn_columns(titles.cells[i]);
    for (size_t i = 0; i < count; i++) {
        if (!is_shown(show, show->sections.list[i]))
            continue;
        fill_row(show, &rows[i], darn_pool_format(&show->pool, "%zu", ++number),
                 show->sections.list[i]);
        for (int k = 0; k < COLUMNS; k++) {
            unsigned width = darn_columns(rows[i].cells[k]);

            if (width > widths[k] && width <= WIDEST)
                widths[k] = width;
        }
    }
    if (!number)
        return;
    put_row(show, &titles, widths);
    for (size_t i = 0; i < count; i++) {
        if (is_shown(show, show->sections.list[i]))
            put_section(show, i, &rows[i], widths);
    }
    printf("\n");
}

static void put_summary(struct show *show)
{
    size_t kept = 0, dropped;

    for (size_t i = 0; i < show->sections.count; i++)
        kept += !show->sections.list[i]->why;
    dropped = show->sections.count - kept;
    printf("%zu section%s%s", kept, kept == 1 ? "" : "s", kept ? ": " : "");
    darn_sections_count(stdout, &show->sections, false);
    if (dropped) {
        printf("; %zu dropped: ", dropped);
        darn_sections_count(stdout, &show->sections, true);
    }
    printf("\n");
}

static int show_file(struct show *show, const char *file, const char *program)
{
    uint32_t errors = 0;
    int status =
        program ? darn_section_elf_read(&show->elf, darn_speaker(COMMAND), program, true) : 0;

    if (!status)
        status = darn_section_file_load(darn_speaker(COMMAND), file, &show->sections, &errors);
    if (status)
        return status;
    if (program)
        show->answers = darn_section_answers(
            &(struct darn_section_meaning){&show->elf, &show->sections, note_meant, show});
    put_table(show);
    put_summary(show);
    status = darn_finish_output();
    return status ? status : errors != 0;
}

static int show_sections(int argc, char **argv)
{
    struct show show = {.ink = {stdout, darn_wants_color(DARN_COLOR_AUTO, STDOUT_FILENO)}};
    struct darn_command_line line = {.command = &darn_sections_show, .to = &show};
    int status;

    if (!darn_line_read(&line, argc, argv, &status))
        return status;
    if (!line.count)
        return darn_refuse(COMMAND, "no file; usage: darn sections show [options] FILE [PROGRAM]");
    status = show_file(&show, line.words[0], line.words[1]);
    darn_sections_free(&show.sections);
    darn_sections_free(&show.meant);
    free((void *)show.wanted);
    free(show.answers);
    darn_section_elf_free(&show.elf);
    darn_pool_release(&show.pool);
    return status;
}

const struct darn_command darn_sections_show = {
    .name = COMMAND,
    .summary = "print such a file as a table with the lines of the source",
    .usage = "sections show [options] FILE [PROGRAM]",
    .about = "Prints the sections of a repository: what is to be atomic, from which access to\n"
             "which, and what other threads may do meanwhile. With the program, sections over\n"
             "lines, and those that have moved, are shown with what they mean there.\n",
    .groups = groups,
    .operands = "FILE PROGRAM",
    .most = 2,
    .anywhere = true,
    .exits = "0 the file is right\n"
             "1 there are errors in the file",
    .see = "darn-sections(1), darn-sections-check(1)",
    .run = show_sections,
};
