/* Puts sections together: their points, and the marks at the ways out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Comdat.h>
#include <llvm-c/DebugInfo.h>

#include "base/hash.h"
#include "plugin/core/debuginfo.h"
#include "plugin/core/inlined.h"
#include "plugin/core/type.h"
#include "plugin/section/plugin_section.h"
#include "section/alias.h"

#define MAX_NAME    256
#define MAX_INLINED 32

/* Instructions of a block that are looked at for a place in the source. */
#define MAX_LOOK 40

int darn_section_is_known(struct darn_code *code, size_t entry, size_t end, int note)
{
    uintptr_t key = (uintptr_t)entry << 32 | (end + 1);
    int known = darn_map_get(&code->pairs, key, 0) != 0;

    if (note && !known)
        darn_map_put(&code->pairs, key, 1);
    return known;
}

/* An instruction of the block whose place in the source is the block's. */
static LLVMValueRef position_in(LLVMBasicBlockRef block)
{
    LLVMValueRef in = LLVMGetFirstInstruction(block);

    for (int i = 0; in && i < MAX_LOOK; in = LLVMGetNextInstruction(in), i++) {
        if (!LLVMIsAPHINode(in) && !LLVMIsALandingPadInst(in) && LLVMGetDebugLocLine(in))
            return in;
    }
    return NULL;
}

/* The mark there, which is made if there is none yet; NULL when it has no place in the source. */
static const struct darn_mark *mark_at(struct darn_code *code, struct darn_mark mark)
{
    uint8_t kind = mark.before ? DARN_SITE_CALL : DARN_SITE_LEAVE;

    for (size_t i = 0; i < code->mark_count; i++) {
        struct darn_mark *known = &code->marks[i];

        if (known->block == mark.block && known->call == mark.call && known->before == mark.before)
            return known;
    }
    if (!mark.position)
        return NULL;
    mark.key = darn_sites_key(mark.position, kind, 0);
    while (darn_map_get(&code->mark_keys, mark.key, 0) && mark.shift < 1000)
        mark.key = darn_sites_key(mark.position, kind, ++mark.shift);
    darn_map_put(&code->mark_keys, mark.key, 1);
    code->marks = realloc(code->marks, (code->mark_count + 1) * sizeof(*code->marks));
    if (!code->marks)
        abort();
    code->marks[code->mark_count] = mark;
    return &code->marks[code->mark_count++];
}

/* The places where the instruction is, from its own function out to that which it was inlined into.
 */
static unsigned places_of(LLVMValueRef instruction, LLVMMetadataRef *places)
{
    LLVMMetadataRef at = LLVMInstructionGetDebugLoc(instruction);
    unsigned count = 0;

    for (; at && count < MAX_INLINED; at = LLVMDILocationGetInlinedAt(at))
        places[count++] = at;
    return count;
}

/* How many levels of inlining the two have in common: at least 1, the function itself. */
static unsigned common_level(LLVMValueRef one, LLVMValueRef other, unsigned level)
{
    LLVMMetadataRef a[MAX_INLINED], b[MAX_INLINED];
    unsigned m = places_of(one, a), n = places_of(other, b), common = 1;

    while (common < level && common < m && common < n && a[m - common] == b[n - common])
        common++;
    return common;
}

/* The line of the instruction in the function at this level. */
static uint32_t line_at(LLVMValueRef instruction, unsigned level)
{
    LLVMMetadataRef places[MAX_INLINED];
    unsigned count = places_of(instruction, places);

    if (!count)
        return 0;
    return LLVMDILocationGetLine(places[count > level ? count - level : 0]);
}

static LLVMValueRef where(const struct darn_section_end *end)
{
    return end->call ? end->call : end->access->instruction;
}

static void add_point(struct darn_found_section *found, struct darn_section_point point)
{
    for (uint32_t i = 0; i < found->count; i++) {
        struct darn_section_point *known = &found->points[i];

        if (known->key == point.key && known->role == point.role && known->line == point.line) {
            known->allow &= point.allow; /* what one of the two forbids */
            return;
        }
    }
    if (found->count == DARN_SECTION_POINTS)
        found->dropped = 1;
    else
        found->points[found->count++] = point;
}

static void add_access(struct darn_found_section *found, const struct darn_section_end *end,
                       uint8_t role, uint8_t allow, unsigned level)
{
    const struct darn_plugin_access *access = end->access;

    add_point(found, (struct darn_section_point){
                         .key = darn_sites_key(access->instruction, access->kind, 0),
                         .line = line_at(where(end), level),
                         .role = role,
                         .kind = access->kind,
                         .allow = allow,
                     });
}

static void add_mark(struct darn_found_section *found, const struct darn_mark *mark, uint8_t role,
                     unsigned level)
{
    if (!mark)
        return;
    add_point(found, (struct darn_section_point){
                         .key = mark->key,
                         .line = line_at(mark->position, level),
                         .role = role,
                         .kind = role == DARN_ROLE_CALL ? DARN_SITE_CALL : DARN_SITE_LEAVE,
                     });
}

static void add_ways_out(struct darn_code *code, struct darn_found_section *found,
                         const struct darn_section_walk *walk, unsigned level)
{
    for (unsigned i = 0; i < walk->leave_count; i++) {
        LLVMBasicBlockRef block = code->flow.blocks[walk->leaves[i]];
        struct darn_mark mark = {.block = block, .position = position_in(block)};

        if (!mark.position) /* of a block without a place, that of the branch that leads there */
            mark.position = position_in(
                code->flow.blocks[code->flow.before[code->flow.first_before[walk->leaves[i]]]]);
        add_mark(found, mark_at(code, mark), DARN_ROLE_LEAVE, level);
    }
}

/* Whoever comes back from a call without having made the access is outside. */
static void add_return(struct darn_code *code, struct darn_found_section *found, LLVMValueRef call,
                       unsigned level)
{
    struct darn_mark mark = {.call = call, .position = call};

    if (LLVMIsAInvokeInst(call))
        mark = (struct darn_mark){.block = LLVMGetNormalDest(call), .position = call};
    else if (LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail)
        return;
    add_mark(found, mark_at(code, mark), DARN_ROLE_LEAVE, level);
}

static struct darn_found_section *new_found(struct darn_section_finder *sections,
                                            const struct darn_found_section *found, uint64_t key)
{
    if (sections->count == sections->capacity) {
        sections->capacity = sections->capacity ? 2 * sections->capacity : 64;
        sections->items = realloc(sections->items, sections->capacity * sizeof(*sections->items));
        if (!sections->items)
            abort();
    }
    sections->items[sections->count++] = *found;
    darn_map_put(&sections->merged, key, sections->count);
    return &sections->items[sections->count - 1];
}

/* Adds the points to those of a section with the same entry, or makes one. */
static void merge(struct darn_section_finder *sections, struct darn_found_section *found,
                  const char *file, const char *function)
{
    uint64_t key = found->points[0].key;
    struct darn_found_section *into;
    uintptr_t number;

    key = darn_hash_number(darn_hash_number(key, (uint32_t)key), found->kind);
    key = darn_hash_number(key, found->points[0].line);
    key = darn_hash_string(darn_hash_string(key, file), function);
    key = darn_hash_bytes(key, (const char *)&found->comdat, sizeof(found->comdat)) | 1;
    number = darn_map_get(&sections->merged, key, 0);
    if (!number) {
        into = new_found(sections, found, key);
        into->file = strdup(file);
        into->function = strdup(function);
        if (!into->file || !into->function)
            abort();
        return;
    }
    into = &sections->items[number - 1];
    if (strcmp(into->type, found->type) != 0)
        into->type[0] = '\0'; /* another build may know more of one of them */
    free(found->variable);
    free(found->type);
    into->inside |= found->inside;
    for (uint32_t i = 0; i < found->count; i++)
        add_point(into, found->points[i]);
}

/* The source function at this level, and its file. */
static void name_level(LLVMValueRef at, unsigned level, char *file, char *function)
{
    LLVMMetadataRef places[MAX_INLINED], scope = NULL, info;
    unsigned count = places_of(at, places), length = 0;
    struct darn_text text;
    const char *path;

    if (count)
        scope = darn_di_function(LLVMDILocationGetScope(places[count > level ? count - level : 0]));
    info = scope ? LLVMDIScopeGetFile(scope) : NULL;
    path = info ? LLVMDIFileGetFilename(info, &length) : "";
    snprintf(file, MAX_NAME, "%.*s", (int)length, path);
    darn_text_start(&text, function, MAX_NAME);
    if (!scope || darn_di_string(darn_di_operand(scope, DARN_DI_SUBPROGRAM_NAME), &text))
        darn_inlined_function(at, function, MAX_NAME);
}

/* An access that stands for a read, too, ends like one that reads and writes. */
static uint8_t end_kind(const struct darn_plugin_access *access)
{
    return access->flags & DARN_SITE_COVERS ? DARN_SITE_UPDATE : access->kind;
}

/* Whether the instruction is of another function than the one at this level, or of another call of
 * it. */
static int is_outside(LLVMValueRef entry, LLVMValueRef instruction, unsigned level)
{
    return LLVMGetDebugLocLine(instruction) && common_level(entry, instruction, level) < level;
}

/*
 * A function that was inlined into a loop seems to go on in the next round: an end that can be
 * reached without passing the entry is then one of another call. Such a section would have no end.
 */
static int goes_outside(const struct darn_code *code, LLVMValueRef entry,
                        const struct darn_section_walk *walk, unsigned level)
{
    for (unsigned i = 0; i < walk->seen_count; i++) {
        LLVMValueRef instruction;

        if (walk->seen[i].outcome != DARN_STEP_ON || !walk->seen[i].can)
            continue;
        instruction = LLVMGetFirstInstruction(code->flow.blocks[walk->seen[i].block]);
        for (; instruction; instruction = LLVMGetNextInstruction(instruction)) {
            if (is_outside(entry, instruction, level))
                return 1;
        }
    }
    return 0;
}

static void name_struct(struct darn_section_finder *sections,
                        const struct darn_plugin_access *access, char *type)
{
    char variable[MAX_NAME];

    darn_names_variable(sections->names, access->instruction, access->pointer, variable,
                        sizeof(variable));
    darn_type_of(access->instruction, darn_names_owner(sections->names), type, MAX_NAME);
}

/* The struct of the member, if all that is known of the accesses agrees. */
static void type_of_all(struct darn_section_finder *sections, struct darn_section_end entry,
                        const struct darn_section_end *ends, unsigned count, char *type)
{
    name_struct(sections, entry.access, type);
    for (unsigned i = 0; i < count && type[0]; i++) {
        char other[MAX_NAME];

        name_struct(sections, ends[i].access, other);
        if (!darn_type_may_be(type, other))
            type[0] = '\0';
    }
}

int darn_section_add(struct darn_section_finder *sections, struct darn_code *code, uint8_t kind,
                     struct darn_section_end entry, const struct darn_section_end *ends,
                     unsigned end_count, const struct darn_section_walk *walk)
{
    struct darn_found_section found = {
        .kind = kind, .inside = walk->inside, .comdat = LLVMGetComdat(code->function)};
    char file[MAX_NAME], function[MAX_NAME], variable[MAX_NAME], type[MAX_NAME];
    unsigned level = MAX_INLINED;

    if (1 + end_count + walk->leave_count > DARN_SECTION_POINTS)
        return 0;
    for (unsigned i = 0; i < end_count; i++)
        level = common_level(where(&entry), where(&ends[i]), level);
    if (level > 1 && goes_outside(code, where(&entry), walk, level))
        return 0;
    add_access(&found, &entry, DARN_ROLE_ENTRY, 0, level);
    if (entry.call) {
        struct darn_mark mark = {.call = entry.call, .before = 1, .position = entry.call};

        add_mark(&found, mark_at(code, mark), DARN_ROLE_CALL, level);
        found.inside |= DARN_SECTION_ACROSS;
    }
    for (unsigned i = 0; i < end_count; i++) {
        uint8_t allow = darn_section_allows(entry.access->kind, end_kind(ends[i].access));

        add_access(&found, &ends[i], DARN_ROLE_END, allow, level);
        if (ends[i].call)
            found.inside |= DARN_SECTION_ACROSS;
    }
    add_ways_out(code, &found, walk, level);
    for (unsigned i = 0; i < end_count; i++) {
        if (ends[i].call)
            add_return(code, &found, ends[i].call, level);
    }
    name_level(where(&entry), level, file, function);
    type_of_all(sections, entry, ends, end_count, type);
    darn_names_variable(sections->names, entry.access->instruction, entry.access->pointer, variable,
                        sizeof(variable));
    found.variable = strdup(variable);
    found.type = strdup(type);
    if (!found.variable || !found.type)
        abort();
    merge(sections, &found, file, function);
    return 1;
}
