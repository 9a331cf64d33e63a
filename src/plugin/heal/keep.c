#include "plugin/heal/keep.h"

static struct darn_match_section match_of(const struct darn_found_section *found)
{
    struct darn_match_section section = {.file = found->file,
                                         .function = found->function,
                                         .variable = found->variable,
                                         .type = found->type,
                                         .points = found->points,
                                         .count = found->count,
                                         .kind = found->kind};

    darn_match_prepare(&section);
    return section;
}

static int is_concerned(const struct darn_found_section *found, const struct darn_wanted *wanted)
{
    struct darn_match_section section = match_of(found);

    for (size_t i = 0; i < wanted->count; i++) {
        if (darn_match_concerns(&wanted->items[i], &section))
            return 1;
    }
    return 0;
}

void darn_sections_keep(struct darn_section_finder *sections, const struct darn_wanted *wanted)
{
    for (size_t i = 0; i < sections->count; i++)
        sections->items[i].dropped |= !is_concerned(&sections->items[i], wanted);
}
