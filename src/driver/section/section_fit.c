#include "driver/section/section_fit.h"

#include <stdlib.h>
#include <string.h>

#include "driver/section/section_elf.h"
#include "driver/section/section_file.h"
#include "driver/section/section_meaning.h"
#include "report/text/source.h"
#include "section/alias.h"
#include "section/match.h"

struct check {
    struct darn_section_fit *fit;
    struct darn_sections sections;
    struct darn_section_elf elf;
    struct darn_text_pool pool;
};

#define TELL(check, section, ...)                                                                  \
    do {                                                                                           \
        (check)->fit->unfit++;                                                                     \
        darn_section_fault((check)->fit->listener, (check)->fit->path, (section)->position,        \
                           (section)->column, __VA_ARGS__);                                        \
    } while (0)

static bool is_access(uint8_t kind)
{
    return kind == DARN_SITE_READ || kind == DARN_SITE_WRITE || kind == DARN_SITE_UPDATE;
}

static const char *verb(uint8_t kind)
{
    return kind == DARN_SITE_READ ? "reads" : kind == DARN_SITE_WRITE ? "writes" : "updates";
}

/* What the program has in a file, seen from one point. */
struct around {
    const char *dir;                     /* where the file was compiled; NULL: it is not there */
    bool has_function, has_variable;     /* in the file */
    const struct darn_image_site *moved; /* the nearest access of the same kind to the variable */
};

static uint32_t distance(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

static void look_around(const struct check *check, const struct darn_section *section,
                        const struct darn_point *point, struct around *around)
{
    *around = (struct around){.dir = NULL};
    for (size_t i = 0; i < check->elf.site_count; i++) {
        const struct darn_image_site *site = &check->elf.sites[i].site;
        bool in_function, is_variable;

        if (strcmp(site->file, point->file) != 0)
            continue;
        around->dir = site->dir;
        in_function = strcmp(site->function, point->function) == 0;
        is_variable = darn_section_means(site->variable, section->variable);
        around->has_function |= in_function;
        around->has_variable |= is_variable;
        if (!in_function || site->record.kind != point->kind ||
            (is_access(point->kind) && !is_variable))
            continue;
        if (!around->moved || distance(site->record.line, point->line) <
                                  distance(around->moved->record.line, point->line))
            around->moved = site;
    }
}

/* Whether the file ends before the line; a file that cannot be read does not tell. */
static bool is_beyond(const char *dir, const char *file, uint32_t line)
{
    char *first = darn_source_line(dir, file, 1);
    char *text = first ? darn_source_line(dir, file, line) : NULL;
    bool beyond = first && !text;

    free(first);
    free(text);
    return beyond;
}

/* The program has no such site: why. */
static void tell_missing(struct check *check, const struct darn_section *section,
                         const struct darn_point *point)
{
    struct around around;

    look_around(check, section, point, &around);
    if (!around.dir)
        TELL(check, section, "the program has no accesses in a file '%s'", point->file);
    else if (!around.has_variable && *section->variable &&
             section->kind != DARN_SECTION_TOGETHER) /* has a list of them */
        TELL(check, section, "%s accesses no variable '%s' any more", point->file,
             section->variable);
    else if (!around.has_function)
        TELL(check, section, "%s has no function '%s' with accesses any more", point->file,
             point->function);
    else if (is_beyond(around.dir, point->file, point->line))
        TELL(check, section, "%s:%u: the file has no such line any more", point->file, point->line);
    else if (around.moved && is_access(point->kind))
        TELL(check, section, "nothing %s '%s' at %s:%u:%u; the access may have moved to %u:%u",
             verb(point->kind), section->variable, point->file, point->line, point->column,
             around.moved->record.line, around.moved->record.column);
    else if (around.moved)
        TELL(check, section, "there is no way out or call at %s:%u:%u; it may have moved to %u:%u",
             point->file, point->line, point->column, around.moved->record.line,
             around.moved->record.column);
    else if (is_access(point->kind))
        TELL(check, section, "nothing %s '%s' at %s:%u:%u", verb(point->kind), section->variable,
             point->file, point->line, point->column);
    else
        TELL(check, section, "there is no way out or call at %s:%u:%u", point->file, point->line,
             point->column);
}

/* All its points are there. Names of one variable may differ from access to access: the first one
 * that cannot be it, or NULL. */
static const char *other_variable(const struct check *check, const struct darn_section *section)
{
    const char *instead = NULL;

    for (uint32_t i = 0; i < section->count; i++) {
        const struct darn_point *point = &section->points[i];
        const struct darn_image_site *site =
            is_access(point->kind) ? darn_section_elf_site(&check->elf, darn_point_key(point))
                                   : NULL;

        if (!site)
            continue;
        if (darn_variable_may_be(site->variable, section->variable))
            return NULL;
        if (!instead)
            instead = site->variable;
    }
    return instead;
}

/* The matcher knows no such section: why. */
static void tell_unfit(struct check *check, const struct darn_section *section, const char *why)
{
    const char *instead;

    if (why) {
        TELL(check, section, "'%s' in %s: %s", section->variable, section->function, why);
        return;
    }
    for (uint32_t i = 0; i < section->count; i++) {
        if (!darn_section_elf_site(&check->elf, darn_point_key(&section->points[i]))) {
            tell_missing(check, section, &section->points[i]);
            return;
        }
    }
    instead = other_variable(check, section);
    if (instead)
        TELL(check, section, "%s:%u:%u accesses '%s', not '%s'", section->points[0].file,
             section->points[0].line, section->points[0].column, instead, section->variable);
    else
        TELL(check, section,
             "'%s' in %s: the accesses are there, but the compiler has recorded no section of them",
             section->variable, section->function);
}

/* A section over lines that means nothing: why. */
static void tell_nothing(struct check *check, const struct darn_section *hand)
{
    const char *lines = darn_section_lines_text(&check->pool, hand);
    const char *dir = NULL, *file = NULL;
    size_t accesses = 0;
    bool has_variable = false;

    for (size_t i = 0; i < check->elf.site_count; i++) {
        const struct darn_image_site *site = &check->elf.sites[i].site;
        bool is_variable = darn_section_means(site->variable, hand->variable);

        if (!darn_section_means_file(site->file, hand->file))
            continue;
        dir = site->dir;
        file = site->file;
        has_variable |= is_variable;
        accesses +=
            is_variable && site->record.line >= hand->first && site->record.line <= hand->last;
    }
    if (!file)
        TELL(check, hand, "%s: the program has no accesses in a file '%s'", lines, hand->file);
    else if (is_beyond(dir, file, hand->first))
        TELL(check, hand, "%s: the file has no such lines", lines);
    else if (!has_variable)
        TELL(check, hand, "%s: %s accesses no variable '%s'", lines, file, hand->variable);
    else if (!accesses)
        TELL(check, hand, "%s: '%s' is not accessed in these lines", lines, hand->variable);
    else
        TELL(check, hand,
             "%s: no two accesses there follow each other, so there is nothing to be atomic",
             lines);
}

/* Of sections over lines all are told, of others what is not where the repository says. */
static void note_meant(void *context, const struct darn_section_meant *meant)
{
    const struct check *check = context;

    if (darn_section_is_lines(meant->wanted))
        check->fit->meant(check->fit, meant->wanted, meant->recorded);
    else if (meant->how == DARN_MATCH_MOVED)
        check->fit->moved(check->fit, meant->wanted, meant->section);
}

static void check_one(struct check *check, const struct darn_section *section,
                      const struct darn_section_answer *answer)
{
    check->fit->count++;
    check->fit->moved_count += answer->how == DARN_MATCH_MOVED;
    if (answer->how != DARN_MATCH_NONE)
        return;
    if (darn_section_is_lines(section))
        tell_nothing(check, section);
    else
        tell_unfit(check, section, answer->why);
}

static int check_all(struct check *check, const char *program)
{
    struct darn_section_fit *fit = check->fit;
    struct darn_section_meaning meaning = {
        .elf = &check->elf, .repository = &check->sections, .meant = note_meant, .context = check};
    struct darn_section_answer *answers;
    int status = darn_section_elf_read(&check->elf, fit->listener, program, true);

    if (!status)
        status = darn_section_file_load(fit->listener, fit->path, &check->sections, &fit->unread);
    if (status)
        return status;
    answers = darn_section_answers(&meaning);
    for (size_t i = 0; i < check->sections.count; i++) {
        if (!check->sections.list[i]->why)
            check_one(check, check->sections.list[i], &answers[i]);
    }
    free(answers);
    return 0;
}

int darn_section_fit(struct darn_section_fit *fit, const char *program)
{
    struct check check = {.fit = fit};
    int status = check_all(&check, program);

    darn_sections_free(&check.sections);
    darn_section_elf_free(&check.elf);
    darn_pool_release(&check.pool);
    return status;
}

const char *darn_section_lines_text(struct darn_text_pool *pool, const struct darn_section *section)
{
    if (section->first == section->last)
        return darn_pool_format(pool, "%s:%u %s", section->file, section->first, section->variable);
    return darn_pool_format(pool, "%s:%u-%u %s", section->file, section->first, section->last,
                            section->variable);
}
