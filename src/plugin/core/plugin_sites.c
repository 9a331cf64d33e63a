#include "plugin/core/plugin_sites.h"

#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <llvm-c/Comdat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "plugin/core/debuginfo.h"
#include "plugin/core/inlined.h"
#include "plugin/name/names.h"
#include "site/site_section.h"
#include "site/site.h"
#include "site/wishes.h"

#define CONSTRUCTOR "darn_module_constructor"
#define DESTRUCTOR  "darn_module_destructor"

/* The longest name that a record carries. */
#define MAX_NAME 256

/* As it was named on the command line: clang makes the names of other files relative to whatever
 * they have in common with the directory. */
static LLVMMetadataRef find_unit(LLVMModuleRef module)
{
    unsigned count = LLVMGetNamedMetadataNumOperands(module, "llvm.dbg.cu");
    LLVMValueRef *units = count ? malloc(count * sizeof(LLVMValueRef)) : NULL;
    LLVMMetadataRef file = NULL;

    if (units) {
        LLVMGetNamedMetadataOperands(module, "llvm.dbg.cu", units);
        file = LLVMDIScopeGetFile(LLVMValueAsMetadata(units[0]));
    }
    free(units);
    return file;
}

void darn_sites_init(struct darn_sites *sites, LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);

    *sites = (struct darn_sites){
        .module = module,
        .unit = find_unit(module),
        .i8 = LLVMInt8TypeInContext(context),
        .i32 = LLVMInt32TypeInContext(context),
    };
    darn_site_tables_init(&sites->tables, module);
}

void darn_sites_free(struct darn_sites *sites)
{
    darn_site_tables_free(&sites->tables);
}

void darn_sites_begin(struct darn_sites *sites, LLVMValueRef function)
{
    sites->function = function;
}

/* What a record says about the source. */
struct source {
    const char *file, *dir;
    unsigned file_length, dir_length;
    unsigned line, column;
    uint64_t inlined; /* see struct darn_site */
    char function[MAX_NAME], variable[MAX_NAME];
};

static uint16_t column_of(unsigned column, uint16_t shift)
{
    column += shift;
    return column > UINT16_MAX ? UINT16_MAX : (uint16_t)column;
}

/* Whether the name of the file alone is what the compiler was given, in the directory that it ran
 * in. */
static bool is_as_given(const struct darn_sites *sites, const struct source *source)
{
    unsigned name_length, dir_length;
    const char *name = sites->unit ? LLVMDIFileGetFilename(sites->unit, &name_length) : NULL;
    const char *dir = sites->unit ? LLVMDIFileGetDirectory(sites->unit, &dir_length) : NULL;

    if (!name || !dir || !source->dir_length || (source->file_length && *source->file == '/'))
        return true;
    return !(name_length && *name == '/') && dir_length == source->dir_length &&
           memcmp(dir, source->dir, dir_length) == 0;
}

static struct darn_record add_record(struct darn_sites *sites,
                                     const struct darn_plugin_access *access,
                                     const struct source *source)
{
    const struct darn_site site = {
        .line = source->line,
        .column = column_of(source->column, access->shift),
        .size = access->size,
        .kind = access->kind,
        .version = DARN_SITE_VERSION,
        .flags = access->flags,
    };
    char dir[PATH_MAX];
    /* With a slash at its end where it belongs to the name (site.h). */
    int length =
        snprintf(dir, sizeof(dir), "%.*s%s", (int)source->dir_length,
                 source->dir_length ? source->dir : "", is_as_given(sites, source) ? "" : "/");
    const struct darn_site_texts texts = {
        .file = source->file ? source->file : "",
        .file_length = source->file ? source->file_length : 0,
        .dir = dir,
        .dir_length = (size_t)length < sizeof(dir) ? (size_t)length : 0,
        .function = source->function,
        .variable = source->variable,
        .gaps = access->flags & DARN_SITE_GAPS ? access->gaps : source->inlined,
    };

    sites->count++;
    return darn_site_tables_add(&sites->tables, sites->function, &site, &texts);
}

struct darn_record darn_sites_record(struct darn_sites *sites,
                                     const struct darn_plugin_access *access,
                                     struct darn_names *names)
{
    LLVMValueRef at = access->instruction;
    struct source source = {.line = LLVMGetDebugLocLine(at), .column = LLVMGetDebugLocColumn(at)};

    source.file = LLVMGetDebugLocFilename(at, &source.file_length);
    source.dir = LLVMGetDebugLocDirectory(at, &source.dir_length);
    darn_inlined_function(at, source.function, sizeof(source.function));
    source.inlined = darn_inlined_copy(at);
    if (access->variable)
        snprintf(source.variable, sizeof(source.variable), "%s", access->variable);
    else if (access->pointer)
        darn_names_variable(names, at, access->pointer, source.variable, sizeof(source.variable));
    return add_record(sites, access, &source);
}

uint64_t darn_sites_key(LLVMValueRef instruction, uint8_t kind, uint16_t shift)
{
    struct darn_site site = {.line = LLVMGetDebugLocLine(instruction), .kind = kind};
    char function[MAX_NAME], file[PATH_MAX];
    unsigned length = 0;
    const char *path = LLVMGetDebugLocFilename(instruction, &length);

    site.column = column_of(LLVMGetDebugLocColumn(instruction), shift);
    snprintf(file, sizeof(file), "%.*s", (int)length, path ? path : "");
    darn_inlined_function(instruction, function, sizeof(function));
    return darn_site_key_of(&site, file, function);
}

LLVMValueRef darn_sites_add_function(struct darn_sites *sites, uint16_t flags)
{
    LLVMMetadataRef subprogram = LLVMGetSubprogram(sites->function);
    LLVMMetadataRef file = subprogram ? LLVMDIScopeGetFile(subprogram) : NULL;
    LLVMLinkage linkage = LLVMGetLinkage(sites->function);
    bool is_local = linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
    struct darn_plugin_access access = {.kind = DARN_SITE_FUNCTION,
                                        .flags = flags | (is_local ? DARN_SITE_LOCAL : 0)};
    struct source source = {0};
    struct darn_text text;

    if (!file)
        return NULL;
    source.file = LLVMDIFileGetFilename(file, &source.file_length);
    source.dir = LLVMDIFileGetDirectory(file, &source.dir_length);
    source.line = LLVMDISubprogramGetLine(subprogram);
    darn_text_start(&text, source.function, sizeof(source.function));
    darn_di_string(darn_di_operand(subprogram, DARN_DI_SUBPROGRAM_NAME), &text);
    return add_record(sites, &access, &source).site;
}

static LLVMValueRef section_edge(struct darn_sites *sites, const char *name)
{
    LLVMValueRef edge = LLVMGetNamedGlobal(sites->module, name);

    if (edge)
        return edge;
    edge = LLVMAddGlobal(sites->module, sites->i8, name);
    LLVMSetVisibility(edge, LLVMHiddenVisibility);
    return edge;
}

/*
 * The command that prints the reports of this program: <prefix>/bin/darn, as seen from
 * <prefix>/lib/darn/darn_plugin.so. An empty string when the plugin lies elsewhere.
 */
static LLVMValueRef command_string(struct darn_sites *sites)
{
    Dl_info info;
    char real[PATH_MAX], path[PATH_MAX + 16] = "";
    LLVMValueRef value, global;

    if (dladdr((const void *)darn_sites_init, &info) && realpath(info.dli_fname, real))
        snprintf(path, sizeof(path), "%s/bin/darn", dirname(dirname(dirname(real))));
    value = LLVMConstStringInContext(LLVMGetModuleContext(sites->module), path,
                                     (unsigned)strlen(path), 0);
    global = LLVMAddGlobal(sites->module, LLVMTypeOf(value), "darn.command");
    LLVMSetInitializer(global, value);
    LLVMSetGlobalConstant(global, 1);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
    LLVMSetAlignment(global, 1);
    return global;
}

/*
 * The first and the last address of the section records: both are 0 where no part of the program
 * has any. Linkers take such an address from memory only, not from code.
 */
static LLVMValueRef sections_edges(struct darn_sites *sites, LLVMTypeRef type)
{
    LLVMValueRef edges[2] = {section_edge(sites, "__start_" DARN_SECTIONS_SECTION),
                             section_edge(sites, "__stop_" DARN_SECTIONS_SECTION)};
    LLVMValueRef table = LLVMAddGlobal(sites->module, type, "darn.sections.edges");

    for (int i = 0; i < 2; i++)
        LLVMSetLinkage(edges[i], LLVMExternalWeakLinkage);
    LLVMSetInitializer(table, LLVMConstArray2(LLVMGetElementType(type), edges, 2));
    LLVMSetLinkage(table, LLVMPrivateLinkage);
    LLVMSetComdat(table, LLVMGetOrInsertComdat(sites->module, CONSTRUCTOR));
    return table;
}

/* darn_module_sections(start, stop) */
static void announce_sections(struct darn_sites *sites, LLVMBuilderRef builder)
{
    LLVMContextRef context = LLVMGetModuleContext(sites->module);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0);
    LLVMTypeRef parameters[2] = {pointer, pointer}, edges = LLVMArrayType2(pointer, 2);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), parameters, 2, 0);
    LLVMValueRef table = sections_edges(sites, edges), arguments[2];

    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef at = LLVMConstInBoundsGEP2(
            edges, table,
            (LLVMValueRef[]){LLVMConstInt(sites->i32, 0, 0), LLVMConstInt(sites->i32, i, 0)}, 2);

        arguments[i] = LLVMBuildLoad2(builder, pointer, at, "");
    }
    LLVMBuildCall2(builder, type, LLVMAddFunction(sites->module, "darn_module_sections", type),
                   arguments, 2, "");
}

/* The repository that the program heals itself by: the runtime finds it by its name (state.h). */
static void name_repository(struct darn_sites *sites)
{
    const char *path = getenv(DARN_HEAL_VARIABLE);
    LLVMValueRef text, global;

    if (!path || !*path)
        return;
    text = LLVMConstStringInContext(LLVMGetModuleContext(sites->module), path,
                                    (unsigned)strlen(path), 0);
    global = LLVMAddGlobal(sites->module, LLVMTypeOf(text), "darn_heal_path");
    LLVMSetInitializer(global, text);
    LLVMSetGlobalConstant(global, 1);
    LLVMSetLinkage(global, LLVMExternalLinkage); /* one that wins, of those of all files */
    LLVMSetVisibility(global, LLVMHiddenVisibility);
    LLVMSetComdat(global, LLVMGetOrInsertComdat(sites->module, "darn_heal_path"));
}

/* One constructor is left of all the files that are linked into one program or shared object. */
static LLVMValueRef build_constructor(struct darn_sites *sites)
{
    LLVMContextRef context = LLVMGetModuleContext(sites->module);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0);
    LLVMTypeRef parameters[3] = {pointer, pointer, pointer};
    LLVMTypeRef init_type = LLVMFunctionType(LLVMVoidTypeInContext(context), parameters, 3, 0);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, 0);
    LLVMValueRef init = LLVMAddFunction(sites->module, DARN_MODULE_INIT, init_type);
    LLVMValueRef constructor = LLVMAddFunction(sites->module, CONSTRUCTOR, type);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    LLVMValueRef arguments[3] = {section_edge(sites, "__start_" DARN_SITE_SECTION),
                                 section_edge(sites, "__stop_" DARN_SITE_SECTION),
                                 command_string(sites)};

    LLVMSetLinkage(constructor, LLVMLinkOnceODRLinkage);
    LLVMSetVisibility(constructor, LLVMHiddenVisibility);
    LLVMSetComdat(constructor, LLVMGetOrInsertComdat(sites->module, CONSTRUCTOR));
    LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, constructor, ""));
    LLVMBuildCall2(builder, init_type, init, arguments, 3, "");
    announce_sections(sites, builder);
    LLVMBuildRetVoid(builder);
    LLVMDisposeBuilder(builder);
    return constructor;
}

/* A shared object that is unloaded says so: darn_module_end(start, stop). */
static LLVMValueRef build_destructor(struct darn_sites *sites)
{
    LLVMContextRef context = LLVMGetModuleContext(sites->module);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0);
    LLVMTypeRef parameters[2] = {pointer, pointer};
    LLVMTypeRef end_type = LLVMFunctionType(LLVMVoidTypeInContext(context), parameters, 2, 0);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, 0);
    LLVMValueRef end = LLVMAddFunction(sites->module, "darn_module_end", end_type);
    LLVMValueRef destructor = LLVMAddFunction(sites->module, DESTRUCTOR, type);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    LLVMValueRef arguments[2] = {section_edge(sites, "__start_" DARN_SITE_SECTION),
                                 section_edge(sites, "__stop_" DARN_SITE_SECTION)};

    LLVMSetLinkage(destructor, LLVMLinkOnceODRLinkage);
    LLVMSetVisibility(destructor, LLVMHiddenVisibility);
    LLVMSetComdat(destructor, LLVMGetOrInsertComdat(sites->module, DESTRUCTOR));
    LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, destructor, ""));
    LLVMBuildCall2(builder, end_type, end, arguments, 2, "");
    LLVMBuildRetVoid(builder);
    LLVMDisposeBuilder(builder);
    return destructor;
}

/* Appends to llvm.global_ctors or its counterpart, which has to be built anew for that. */
static void append(struct darn_sites *sites, const char *name, LLVMValueRef function)
{
    LLVMContextRef context = LLVMGetModuleContext(sites->module);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0);
    LLVMTypeRef field_types[3] = {sites->i32, pointer, pointer};
    LLVMTypeRef type = LLVMStructTypeInContext(context, field_types, 3, 0);
    LLVMValueRef fields[3] = {LLVMConstInt(sites->i32, 1, 0), function, function};
    LLVMValueRef old = LLVMGetNamedGlobal(sites->module, name);
    unsigned count = old ? (unsigned)LLVMGetNumOperands(LLVMGetInitializer(old)) : 0;
    LLVMValueRef *entries = calloc(count + 1, sizeof(*entries));
    LLVMValueRef list;

    if (!entries)
        return;
    for (unsigned i = 0; i < count; i++)
        entries[i] = LLVMGetOperand(LLVMGetInitializer(old), i);
    entries[count] = LLVMConstStructInContext(context, fields, 3, 0);
    if (old)
        LLVMDeleteGlobal(old);
    list = LLVMAddGlobal(sites->module, LLVMArrayType2(type, count + 1), name);
    LLVMSetLinkage(list, LLVMAppendingLinkage);
    LLVMSetInitializer(list, LLVMConstArray2(type, entries, count + 1));
    free(entries);
}

void darn_sites_announce(struct darn_sites *sites)
{
    if (!sites->count)
        return;
    darn_site_tables_write(&sites->tables);
    name_repository(sites);
    append(sites, "llvm.global_ctors", build_constructor(sites));
    append(sites, "llvm.global_dtors", build_destructor(sites));
}
