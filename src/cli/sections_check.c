/*
 * darn sections check: which sections of a repository do not fit the program.
 */
#include <stdio.h>

#include "cli/sections_line.h"
#include "driver/heal/heal_deadlock.h"
#include "driver/section/section_fit.h"

#define COMMAND "sections check"

static const struct darn_option options[] = {DARN_ROW_HELP, {.name = NULL}};

static const struct darn_option_group groups[] = {{.options = options}, {.options = NULL}};

static void print_meant(struct darn_section_fit *fit, const struct darn_section *hand,
                        const struct darn_section *section)
{
    struct darn_text_pool pool = {0};

    printf("%s:%u:%u: %s means %s of %s in %s, from %s:%u\n", fit->path, hand->position,
           hand->column, darn_section_lines_text(&pool, hand),
           darn_section_kind_name(section->kind), section->variable, section->function,
           section->points[0].file, section->points[0].line);
    darn_pool_release(&pool);
}

static void print_moved(struct darn_section_fit *fit, const struct darn_section *wanted,
                        const struct darn_section *section)
{
    const struct darn_point *from = &wanted->points[0], *to = &section->points[0];

    printf("%s:%u:%u: '%s' in %s has moved: it begins at %s:%u:%u, not %u:%u\n", fit->path,
           wanted->position, wanted->column, wanted->variable, wanted->function, to->file, to->line,
           to->column, from->line, from->column);
}

static void print_result(const struct darn_section_fit *fit)
{
    printf("%zu section%s: %zu fit, %u do not", fit->count, fit->count == 1 ? "" : "s",
           fit->count - fit->unfit, fit->unfit);
    if (fit->moved_count)
        printf("; %u %s moved", fit->moved_count, fit->moved_count == 1 ? "has" : "have");
    if (fit->unread)
        printf("; %u error%s in the file", fit->unread, fit->unread == 1 ? "" : "s");
    printf("\n");
}

/* Deadlocks and orders, by the places of their calls. How many do not fit. */
static int check_signatures(const struct darn_section_fit *fit, const char *program)
{
    struct darn_words signatures = {0};
    int lost = darn_heal_deadlocks_resolve(fit->listener, fit->path, program, &signatures);
    size_t count = signatures.count, orders = darn_heal_orders_count(&signatures);

    if (count)
        printf("%zu deadlock%s and %zu order%s of calls: %zu fit, %d do not\n", count - orders,
               count - orders == 1 ? "" : "s", orders, orders == 1 ? "" : "s",
               count - (size_t)(lost > 0 ? lost : 0), lost > 0 ? lost : 0);
    darn_words_free(&signatures);
    return lost;
}

static int check_sections(int argc, char **argv)
{
    struct darn_section_fit fit = {
        .listener = darn_speaker(COMMAND), .meant = print_meant, .moved = print_moved};
    struct darn_command_line line = {.command = &darn_sections_check, .to = &fit};
    int status, lost;

    if (!darn_line_read(&line, argc, argv, &status))
        return status;
    if (line.count < 2)
        return darn_refuse(COMMAND, "a file and a program are needed; usage: darn sections check "
                                    "FILE PROGRAM");
    fit.path = line.words[0];
    status = darn_section_fit(&fit, line.words[1]);
    if (status)
        return status;
    print_result(&fit);
    lost = check_signatures(&fit, line.words[1]);
    status = darn_finish_output();
    return status ? status : fit.unfit || fit.unread || lost;
}

const struct darn_command darn_sections_check = {
    .name = COMMAND,
    .summary = "say which sections of the file do not fit the program",
    .usage = "sections check [options] FILE PROGRAM",
    .about = "Says which sections of the repository FILE do not fit the program any more: the\n"
             "line, the variable or the function is not there. A section that has moved fits,\n"
             "and it is said where it is now: there it is watched, tried and healed. Of\n"
             "sections over lines it says which ones of the program they mean. Deadlocks and\n"
             "orders are found by their calls. The exit\n"
             "status is 1 when something does not fit.\n",
    .groups = groups,
    .operands = "FILE PROGRAM",
    .most = 2,
    .anywhere = true,
    .exits = "0 everything fits\n"
             "1 there are errors in the file, or something does not fit the program",
    .see = "darn-sections(1), darn-sections-show(1)",
    .run = check_sections,
};
