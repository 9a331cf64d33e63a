#include "plugin/heal/only.h"

#include <string.h>

#include "plugin/core/type.h"
#include "plugin/heal/keep.h"
#include "plugin/section/mark.h"
#include "section/alias.h"
#include "site/site.h"

#define MAX_NAME 256

static int is_point(const struct darn_only *only, uint64_t key)
{
    return darn_points_has(&only->wanted->points, key) || darn_points_has(&only->points, key);
}

static int is_wanted_by_name(const struct darn_only *only, const struct darn_plugin_access *access)
{
    uint64_t key = darn_sites_key(access->instruction, access->kind, 0);
    char variable[MAX_NAME], type[MAX_NAME];
    uint8_t class;

    darn_names_variable(only->names, access->instruction, access->pointer, variable,
                        sizeof(variable));
    class = darn_names_class(only->names, variable);
    darn_type_of(access->instruction, darn_names_owner(only->names), type, sizeof(type));
    return darn_points_has_access(&only->points, key, type) ||
           darn_points_has_access(&only->wanted->points, key, type) ||
           darn_wanted_variable(only->wanted, variable, class, type);
}

static void note_points(struct darn_only *only)
{
    for (size_t i = 0; i < only->sections->count; i++) {
        const struct darn_found_section *found = &only->sections->items[i];

        for (uint32_t j = 0; j < found->count && !found->dropped; j++)
            darn_points_add(&only->points, found->points[j].key, found->type);
    }
}

/* Assertions of darn.h are no accesses. */
static int is_access(const struct darn_plugin_access *access)
{
    return access->pointer && access->kind <= DARN_SITE_UPDATE &&
           !(access->flags & (DARN_SITE_ASSERT_ACCESS | DARN_SITE_ASSERT_WRITER));
}

/* Of the points, and of what has their names: `*total` where a function was inlined that is handed
 * the address of `sum` is an access to `sum`. */
static void note_pointers(struct darn_only *only, const struct darn_code *code)
{
    for (size_t i = 0; i < code->accesses.count; i++) {
        const struct darn_plugin_access *access = &code->accesses.items[i];

        if (is_access(access) && LLVMIsConstant(access->pointer) &&
            is_point(only, darn_sites_key(access->instruction, access->kind, 0)))
            darn_map_put(&only->pointers, (uintptr_t)access->pointer, 1);
    }
}

static int is_wanted(const struct darn_only *only, const struct darn_plugin_access *access)
{
    return is_access(access) && (darn_map_get(&only->pointers, (uintptr_t)access->pointer, 0) ||
                                 is_wanted_by_name(only, access));
}

static int have_same_name(const struct darn_only *only, const struct darn_plugin_access *one,
                          const struct darn_plugin_access *other)
{
    char name[MAX_NAME], other_name[MAX_NAME];

    darn_names_variable(only->names, one->instruction, one->pointer, name, sizeof(name));
    darn_names_variable(only->names, other->instruction, other->pointer, other_name,
                        sizeof(other_name));
    return darn_variable_same(name, other_name);
}

/*
 * Whether a read is followed by a write of the same place, with nothing but computation in between:
 * the hook of that one ends whatever the read has begun, a moment later. So `n += 1` needs three
 * looks at armed bytes, not four. By its name the next one is armed if this one is. What is written
 * is told at once, for those who wait.
 */
static int is_followed(const struct darn_only *only, const struct darn_plugin_access *access,
                       const struct darn_plugin_access *next)
{
    LLVMValueRef in = access->instruction;

    if (!next || next->pointer != access->pointer || next->flags & DARN_SITE_RANGE ||
        access->kind != DARN_SITE_READ || next->kind == DARN_SITE_READ ||
        LLVMGetInstructionParent(next->instruction) != LLVMGetInstructionParent(in))
        return 0;
    while ((in = LLVMGetNextInstruction(in)) && in != next->instruction) {
        if (darn_may_synchronize(in) || LLVMIsACallInst(in))
            return 0;
    }
    return in && have_same_name(only, access, next);
}

/* Nothing is covered here: each of them may have to wait, and each of them ends. */
static void place_access(struct darn_only *only, struct darn_plugin_access *access)
{
    if (access->flags & DARN_SITE_SPIN)
        access->flags &= (uint16_t) ~(DARN_SITE_SPIN | DARN_SITE_LEADS);
    access->flags &= (uint16_t)~DARN_SITE_COVERS;
    darn_guards_place_around(only->guards, access,
                             darn_sites_record(only->sites, access, only->names));
}

/* Instructions are looked at before the first of them is instrumented. */
static int place_accesses(struct darn_only *only, struct darn_code *code)
{
    struct darn_plugin_access *next = NULL;
    size_t count = code->accesses.count;

    for (size_t i = count; i-- > 0;) {
        struct darn_plugin_access *access = &code->accesses.items[i];

        access->dropped = !is_wanted(only, access);
        if (access->dropped)
            continue;
        if (darn_guards_behind(access->instruction) && !is_followed(only, access, next))
            access->flags |= DARN_SITE_AFTER;
        next = access;
    }
    for (size_t i = 0; i < count; i++) {
        if (!code->accesses.items[i].dropped)
            place_access(only, &code->accesses.items[i]);
    }
    return next != NULL;
}

static int place_marks(struct darn_only *only, const struct darn_code *code)
{
    int placed = 0;

    for (size_t i = 0; i < code->mark_count; i++) {
        if (!is_point(only, code->marks[i].key))
            continue;
        darn_mark_place_armed(&code->marks[i], only->guards, only->sites, only->names);
        placed = 1;
    }
    return placed;
}

/* The runtime tells the functions that are active by their frames. */
static void keep_frame_pointer(LLVMValueRef function)
{
    static const char name[] = "frame-pointer", value[] = "all";
    LLVMAttributeIndex whole = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));

    LLVMRemoveStringAttributeAtIndex(function, whole, name, (unsigned)strlen(name));
    LLVMAddAttributeAtIndex(function, whole,
                            LLVMCreateStringAttribute(context, name, (unsigned)strlen(name), value,
                                                      (unsigned)strlen(value)));
}

void darn_only_instrument(struct darn_only *only)
{
    struct darn_section_finder *sections = only->sections;

    only->guards->elides = 1;
    darn_sections_keep(sections, only->wanted);
    note_points(only);
    for (size_t i = 0; i < sections->code_count; i++)
        note_pointers(only, &sections->codes[i]);
    for (size_t i = 0; i < sections->code_count; i++) {
        struct darn_code *code = &sections->codes[i];
        int placed;

        darn_sites_begin(only->sites, code->function);
        placed = place_accesses(only, code);
        if (place_marks(only, code) || placed)
            keep_frame_pointer(code->function);
    }
    darn_points_free(&only->points);
    darn_map_free(&only->pointers);
}
