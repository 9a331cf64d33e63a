#include "driver/heal/heal_site.h"

#include <string.h>

#include "section/alias.h"

static uint8_t kind_of(enum darn_op op)
{
    return op == DARN_OP_READ    ? DARN_SITE_READ
           : op == DARN_OP_WRITE ? DARN_SITE_WRITE
                                 : DARN_SITE_UPDATE;
}

bool darn_heal_is_access(const struct darn_finding_access *access)
{
    return access->op <= DARN_OP_UPDATE && access->file && (access->line || access->function);
}

/* The file may be named by more of its path in one place than in the other. */
static bool is_same_file(const char *one, const char *other)
{
    return darn_section_means_file(one, other) || darn_section_means_file(other, one);
}

/* A store that the optimizer has made of several has no line: then the function counts. */
static bool is_at(const struct darn_finding_access *access, const struct darn_point *point)
{
    return access->line == point->line && (!access->column || access->column == point->column) &&
           (access->line || strcmp(access->function, point->function) == 0) &&
           point->kind == kind_of(access->op) && is_same_file(point->file, access->file);
}

bool darn_heal_is_point_of(const struct darn_point *point, const struct darn_finding_access *access)
{
    return (point->role == DARN_ROLE_ENTRY || point->role == DARN_ROLE_END) && is_at(access, point);
}

struct darn_point darn_heal_point_of(const struct darn_image_site *site, uint8_t role)
{
    return (struct darn_point){
        .file = site->file,
        .function = site->function,
        .line = site->record.line,
        .column = site->record.column,
        .at = site->record.line,
        .role = role,
        .kind = site->record.kind,
    };
}

/* Without a line there may be several: the name of the variable tells them apart. */
static bool is_of_variable(const struct darn_finding *finding, const struct darn_image_site *site)
{
    return site->record.line || !finding->variable ||
           darn_variable_same(site->variable, finding->variable);
}

/* NULL when the program has no such access. */
const struct darn_image_site *darn_heal_site_of(const struct darn_heal *heal,
                                                const struct darn_finding *finding,
                                                const struct darn_finding_access *access)
{
    for (size_t i = 0; i < heal->elf.site_count; i++) {
        const struct darn_image_site *site = &heal->elf.sites[i].site;
        struct darn_point point = darn_heal_point_of(site, DARN_ROLE_ENTRY);

        if (is_at(access, &point) && is_of_variable(finding, site))
            return site;
    }
    return NULL;
}
