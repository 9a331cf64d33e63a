#include "plugin/name/names_private.h"

#include <string.h>

/* What clears several members is to none of them. Elements are named by the first one. */
static int reaches_further(const struct darn_names *names, LLVMMetadataRef found,
                           const struct darn_text *path)
{
    return names->goal.is_whole && found && path->used &&
           path->to[path->used - 1] != ']' && darn_di_size(found) &&
           darn_di_size(found) < names->goal.size;
}

static LLVMMetadataRef walk(struct darn_names *names, LLVMMetadataRef type, uint64_t offset,
                            int variable, struct darn_text *path)
{
    struct darn_di_way way = {.text = path, .goal = names->goal, .bit = names->bit};
    LLVMMetadataRef found = darn_di_walk(type, offset, variable, &way);

    names->owner = found && !way.has_union ? way.owner : NULL;
    /* What is added at run time chooses an element, or it leads anywhere: to a virtual base, or to
     * the member that a pointer to members says. */
    names->is_beyond = (variable && !strchr(path->to, '[')) || reaches_further(names, found, path);
    if (!names->is_beyond)
        return found;
    path->to[path->used = 0] = '\0';
    names->owner = NULL;
    return NULL;
}

LLVMMetadataRef darn_name_inside(struct darn_names *names, LLVMMetadataRef type,
                                 const struct darn_place *place, struct darn_text *text)
{
    char path[DARN_NAME_PATH];
    struct darn_text buffer;
    LLVMMetadataRef found = NULL;

    darn_text_start(&buffer, path, sizeof(path));
    names->owner = NULL;
    names->is_behind = 0;
    names->is_beyond = place->offset < 0;
    if (place->offset >= 0)
        found = walk(names, type, (uint64_t)place->offset, place->variable, &buffer);
    darn_text_add(text, path);
    return found;
}

/* Which element of an array the pointer points to, and where in it the place is. */
struct element {
    int is_one;    /* it is not simply what the pointer points to */
    int64_t index; /* unless the place is `variable` */
    int64_t offset;
    int variable; /* in the element */
    int is_lost;  /* the place lies before the object, and is not in an element of it */
};

/*
 * `p[i]` steps by whole elements. What leads beyond the end of *p without a step is an array at its
 * end that has no fixed size: `p->tail[3]`. In front of *p lies what container_of finds, unless
 * whole elements lead there.
 */
static struct element element_of(LLVMMetadataRef pointee, const struct darn_place *place)
{
    int64_t size = (int64_t)darn_di_size(pointee);
    int is_flexible = darn_di_is_flexible(pointee);
    int is_even = !size || place->stride % (uint64_t)size == 0;
    int is_stepped = place->is_stepped && !is_flexible && is_even;
    struct element element = {.offset = place->offset, .is_one = is_stepped};

    element.variable = place->is_inside || (place->is_stepped && !is_stepped);
    element.is_lost = place->offset < 0 && !(place->step && is_even);
    if (!size || is_flexible || element.is_lost || (place->variable && !is_stepped) ||
        (!place->variable && !place->step))
        return element;
    element.index = place->offset / size;
    element.offset = place->offset % size;
    if (element.offset < 0) {
        element.offset += size;
        element.index--;
    }
    element.is_one |= element.index != 0;
    return element;
}

static void append_element(const struct element *element, int variable, struct darn_text *text)
{
    darn_text_char(text, '[');
    if (!variable && element->index < 0)
        darn_text_char(text, '-');
    if (!variable)
        darn_text_number(text, (uint64_t)(element->index < 0 ? -element->index : element->index));
    darn_text_char(text, ']');
}

LLVMMetadataRef darn_name_pointee(struct darn_names *names, const char *pointer,
                                  LLVMMetadataRef pointee, struct darn_place place,
                                  struct darn_text *text)
{
    char path[DARN_NAME_PATH];
    struct darn_text buffer;
    struct element element = element_of(pointee, &place);
    LLVMMetadataRef found = NULL;
    uint64_t size = darn_di_size(pointee);

    darn_text_start(&buffer, path, sizeof(path));
    names->owner = NULL;
    names->is_beyond = 1;
    if (!element.is_lost)
        found = walk(names, pointee, (uint64_t)element.offset, element.variable, &buffer);
    names->is_beyond |= place.offset < 0 || (size && place.offset >= (int64_t)size);
    names->is_behind = element.is_one && !path[0];
    if (!found && !path[0] && !element.is_one && !place.variable && element.offset > 0) {
        darn_text_add(text, pointer); /* into a struct that this module only declares */
        darn_text_add(text, "->@");
        darn_text_number(text, (uint64_t)element.offset);
        return found;
    }
    if (!element.is_one && path[0] != '.')
        darn_text_char(text, '*');
    darn_text_add(text, pointer);
    if (element.is_one)
        append_element(&element, place.is_stepped, text);
    else if (path[0] == '.')
        darn_text_add(text, "->");
    darn_text_add(text, path[0] == '.' && !element.is_one ? path + 1 : path);
    return found;
}

/* What a lambda captures is a member of an object that the source does not name. */
static LLVMMetadataRef name_captured(struct darn_names *names, LLVMMetadataRef closure,
                                     const struct darn_place *place, struct darn_text *text)
{
    char path[DARN_NAME_PATH];
    struct darn_text buffer;
    LLVMMetadataRef found;

    darn_text_start(&buffer, path, sizeof(path));
    found = darn_name_inside(names, closure, place, &buffer);
    names->owner = NULL;
    darn_text_add(text, path[0] == '.' ? path + 1 : path);
    return found;
}

LLVMMetadataRef darn_name_behind(struct darn_names *names, const char *pointer,
                                 LLVMMetadataRef pointer_type, const struct darn_place *place,
                                 struct darn_text *text)
{
    LLVMMetadataRef pointee = darn_di_pointee(pointer_type);

    if (pointee && strcmp(pointer, "this") == 0 && darn_di_is_closure(pointee))
        return name_captured(names, pointee, place, text);
    if (pointee && darn_di_is_reference(pointer_type)) {
        darn_text_add(text, pointer);
        return darn_name_inside(names, pointee, place, text);
    }
    return darn_name_pointee(names, pointer, pointee, *place, text);
}
