/* Writes the records of sections into the module. */
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Comdat.h>

#include "plugin/section/plugin_section.h"

#define HEADER_FIELDS 11

struct emitter {
    struct darn_sites *sites;
    LLVMContextRef context;
    LLVMTypeRef point;
    LLVMValueRef *records;
    unsigned count;
};

static LLVMValueRef point_value(struct emitter *emitter, const struct darn_section_point *point)
{
    const struct darn_sites *sites = emitter->sites;
    LLVMValueRef fields[6] = {
        LLVMConstInt(sites->i64, point->key, 0),  LLVMConstInt(sites->i32, point->line, 0),
        LLVMConstInt(sites->i8, point->role, 0),  LLVMConstInt(sites->i8, point->kind, 0),
        LLVMConstInt(sites->i8, point->allow, 0), LLVMConstInt(sites->i8, 0, 0),
    };

    return LLVMConstStructInContext(emitter->context, fields, 6, 0);
}

static LLVMTypeRef record_type(struct emitter *emitter, unsigned count)
{
    const struct darn_sites *sites = emitter->sites;
    LLVMTypeRef fields[HEADER_FIELDS] = {sites->i32,
                                         sites->i8,
                                         sites->i8,
                                         sites->i16,
                                         sites->i32,
                                         sites->i32,
                                         sites->i32,
                                         sites->i32,
                                         sites->i32,
                                         sites->i32,
                                         LLVMArrayType2(emitter->point, count)};

    return LLVMStructTypeInContext(emitter->context, fields, HEADER_FIELDS, 0);
}

/* The entry stands first. */
static void emit(struct emitter *emitter, const struct darn_found_section *found)
{
    struct darn_sites *sites = emitter->sites;
    LLVMTypeRef type = record_type(emitter, found->count);
    LLVMValueRef record = LLVMAddGlobal(sites->module, type, "darn.section");
    LLVMValueRef points[DARN_SECTION_POINTS], fields[HEADER_FIELDS];
    size_t size = sizeof(struct darn_section_record) + found->count * sizeof(found->points[0]);

    for (uint32_t i = 0; i < found->count; i++)
        points[i] = point_value(emitter, &found->points[i]);
    fields[0] = LLVMConstInt(sites->i32, size, 0);
    fields[1] = LLVMConstInt(sites->i8, DARN_SECTION_VERSION, 0);
    fields[2] = LLVMConstInt(sites->i8, found->kind, 0);
    fields[3] = LLVMConstInt(sites->i16, found->inside, 0);
    fields[4] = darn_sites_string(sites, type, record, 4, found->file);
    fields[5] = darn_sites_string(sites, type, record, 5, found->function);
    fields[6] = darn_sites_string(sites, type, record, 6, found->variable);
    fields[7] = darn_sites_string(sites, type, record, 7, found->type);
    fields[8] = LLVMConstInt(sites->i32, found->count, 0);
    fields[9] = LLVMConstInt(sites->i32, 0, 0);
    fields[10] = LLVMConstArray2(emitter->point, points, found->count);
    LLVMSetInitializer(record,
                       LLVMConstStructInContext(emitter->context, fields, HEADER_FIELDS, 0));
    LLVMSetLinkage(record, LLVMPrivateLinkage);
    LLVMSetGlobalConstant(record, 1);
    LLVMSetSection(record, DARN_SECTIONS_SECTION);
    LLVMSetAlignment(record, 8);
    if (found->comdat)
        LLVMSetComdat(record, found->comdat);
    emitter->records[emitter->count++] = record;
}

/* Nothing refers to the records: llvm.used, which has to be built anew, makes compiler and linker
 * keep them. */
static void retain(struct emitter *emitter)
{
    LLVMModuleRef module = emitter->sites->module;
    LLVMTypeRef pointer = LLVMPointerTypeInContext(emitter->context, 0);
    LLVMValueRef old = LLVMGetNamedGlobal(module, "llvm.used"), list;
    unsigned count = old ? (unsigned)LLVMGetNumOperands(LLVMGetInitializer(old)) : 0;
    LLVMValueRef *entries = calloc(count + emitter->count, sizeof(*entries));

    if (!entries)
        abort();
    for (unsigned i = 0; i < count; i++)
        entries[i] = LLVMGetOperand(LLVMGetInitializer(old), i);
    memcpy(entries + count, emitter->records, emitter->count * sizeof(*entries));
    count += emitter->count;
    if (old)
        LLVMDeleteGlobal(old);
    list = LLVMAddGlobal(module, LLVMArrayType2(pointer, count), "llvm.used");
    LLVMSetLinkage(list, LLVMAppendingLinkage);
    LLVMSetSection(list, "llvm.metadata");
    LLVMSetInitializer(list, LLVMConstArray2(pointer, entries, count));
    free(entries);
}

void darn_sections_emit(struct darn_section_finder *sections, struct darn_sites *sites)
{
    struct emitter emitter = {.sites = sites, .context = LLVMGetModuleContext(sites->module)};
    LLVMTypeRef fields[6] = {sites->i64, sites->i32, sites->i8, sites->i8, sites->i8, sites->i8};

    if (!sections->count)
        return;
    emitter.point = LLVMStructTypeInContext(emitter.context, fields, 6, 0);
    emitter.records = calloc(sections->count, sizeof(*emitter.records));
    if (!emitter.records)
        abort();
    for (size_t i = 0; i < sections->count; i++) {
        if (!sections->items[i].dropped)
            emit(&emitter, &sections->items[i]);
    }
    if (emitter.count)
        retain(&emitter);
    free(emitter.records);
}

void darn_section_finder_free(struct darn_section_finder *sections)
{
    for (size_t i = 0; i < sections->count; i++) {
        free(sections->items[i].file);
        free(sections->items[i].function);
        free(sections->items[i].variable);
        free(sections->items[i].type);
    }
    free(sections->items);
    darn_map_free(&sections->by_function);
    darn_map_free(&sections->merged);
}
