#include "section/resolve.h"

bool darn_section_has_line(const struct darn_section *hand, const struct darn_point *point)
{
    return point->at >= hand->first && point->at <= hand->last;
}

bool darn_section_applies(const struct darn_section *hand, const struct darn_section *recorded)
{
    bool has_entry = false, has_end = false;

    if (!darn_section_is_lines(hand) || darn_section_is_lines(recorded) ||
        !darn_section_means_file(recorded->file, hand->file) ||
        !darn_section_means(recorded->variable, hand->variable))
        return false;
    for (uint32_t i = 0; i < recorded->count; i++) {
        const struct darn_point *point = &recorded->points[i];
        bool in = darn_section_has_line(hand, point);

        has_entry |= in && point->role == DARN_ROLE_ENTRY;
        has_end |= in && point->role == DARN_ROLE_END;
    }
    return has_entry && has_end;
}

bool darn_section_resolve(const struct darn_section *hand, struct darn_section *recorded)
{
    if (!darn_section_applies(hand, recorded))
        return false;
    recorded->kind = DARN_SECTION_HAND;
    for (uint32_t i = 0; i < recorded->count; i++) {
        struct darn_point *point = &recorded->points[i];

        if (point->role != DARN_ROLE_END)
            continue;
        if (!darn_section_has_line(hand, point))
            point->allow = DARN_ALLOW_ALL;
        else if (hand->has_allow)
            point->allow = hand->allow;
    }
    return true;
}
