#include "plugin/core/plugin.h"

#include <dlfcn.h>
#include <llvm-c/Target.h>
#include <llvm/Config/llvm-config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plugin/core/access.h"
#include "plugin/name/early.h"
#include "plugin/core/function.h"
#include "plugin/core/group.h"
#include "plugin/core/guard.h"
#include "plugin/core/ignore.h"
#include "plugin/core/inlined.h"
#include "plugin/name/names.h"
#include "plugin/core/often.h"
#include "plugin/core/origin.h"
#include "plugin/core/plugin_outside.h"
#include "plugin/core/pointer.h"
#include "plugin/core/select.h"
#include "plugin/core/plugin_sites.h"
#include "plugin/core/trained.h"
#include "plugin/core/whole.h"
#include "plugin/heal/only.h"
#include "plugin/heal/pin.h"
#include "plugin/heal/reach.h"
#include "plugin/section/mark.h"
#include "plugin/section/plugin_section.h"
#include "plugin/section/plugin_unit.h"
#include "plugin/spin/spin.h"
#include "plugin/spin/wait.h"
#include "plugin/spin/wait_check.h"
#include "plugin/stats.h"
#include "site/site_guard.h"
#include "site/site.h"
#include "site/wishes.h"

/* A function that has this attribute at the end of the pipeline is watched. */
#define WATCHED "sanitize_thread"

static unsigned watched_kind(void)
{
    return LLVMGetEnumAttributeKindForName(WATCHED, strlen(WATCHED));
}

/* LLVM's C++ interfaces are those of one version: with another one clang would crash. The function
 * is younger than some versions. */
void darn_plugin_check(void)
{
    void (*get)(unsigned *, unsigned *, unsigned *) =
        (void (*)(unsigned *, unsigned *, unsigned *))dlsym(RTLD_DEFAULT, "LLVMGetVersion");
    unsigned major = 0, minor = 0, patch = 0;

    if (get)
        get(&major, &minor, &patch);
    if (major == LLVM_VERSION_MAJOR)
        return;
    fprintf(stderr, "darn: the plugin is for clang %d, and this is ", LLVM_VERSION_MAJOR);
    if (major)
        fprintf(stderr, "clang %u", major);
    else
        fputs("an older clang", stderr);
    fprintf(stderr, "; let DARN_CLANG and DARN_CLANGXX name clang %d, or unset them\n",
            LLVM_VERSION_MAJOR);
    _exit(2);
}

void darn_plugin_load(void)
{
    if (!darn_wanted()) /* of those, most modules are to become what they are without darn */
        darn_origin_init();
}

static int is_set(const char *variable)
{
    const char *value = getenv(variable);

    return value && *value && strcmp(value, "0") != 0;
}

/* A function that is inlined has no beginning and no ends. */
static void keep_apart(LLVMValueRef function)
{
    static const char always[] = "alwaysinline", never[] = "noinline";
    LLVMAttributeIndex whole = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    unsigned kind = LLVMGetEnumAttributeKindForName(never, strlen(never));

    if (!LLVMGetEnumAttributeAtIndex(function, whole,
                                     LLVMGetEnumAttributeKindForName(always, strlen(always))))
        LLVMAddAttributeAtIndex(
            function, whole,
            LLVMCreateEnumAttribute(LLVMGetModuleContext(LLVMGetGlobalParent(function)), kind, 0));
}

/*
 * With sanitize_thread the optimizer invents hardly any loads (see origin.h for the rest), and does
 * not inline a function that has it not (one that is ignored) into one that has it. No TSan pass
 * runs.
 */
static void watch(LLVMValueRef function)
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));

    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(context, watched_kind(), 0));
    darn_origin_note(function);
}

static char level; /* as in -O2 */

void darn_plugin_set_level(unsigned speed, unsigned size)
{
    level = size ? (size > 1 ? 'z' : 's') : (char)('0' + speed);
}

/* Into the section .comment, where the compiler names itself: it costs nothing when it runs, and
 * the linker keeps one of each. */
static void tell_level(LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    char text[] = DARN_LEVEL_IDENT "?";
    LLVMMetadataRef string, node;

    text[sizeof(text) - 2] = level;
    string = LLVMMDStringInContext2(context, text, strlen(text));
    node = LLVMMDNodeInContext2(context, &string, 1);
    LLVMAddNamedMetadataOperand(module, "llvm.ident", LLVMMetadataAsValue(context, node));
}

static int is_marked(LLVMValueRef function)
{
    return !LLVMIsDeclaration(function) &&
           LLVMGetEnumAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                       watched_kind());
}

/* What another file has is only there to be inlined. */
static int is_watched(LLVMValueRef function)
{
    return is_marked(function) && LLVMGetLinkage(function) != LLVMAvailableExternallyLinkage;
}

/* Where nothing is optimized, the names are the same in the end. */
static void note_names(LLVMModuleRef module)
{
    struct darn_plugin_escape escape;
    struct darn_names *names;

    if (level == '0')
        return;
    darn_escape_init(&escape);
    names = darn_names_create(module, LLVMGetModuleDataLayout(module));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (is_marked(f))
            darn_early_note(names, &escape, f);
    }
    darn_names_destroy(names);
    darn_escape_free(&escape);
}

static bool is_done;

bool darn_plugin_is_done(void)
{
    return is_done;
}

static void prepare(LLVMModuleRef module)
{
    const struct darn_wanted *wanted = darn_wanted();
    int functions = is_set(DARN_FUNCTIONS_VARIABLE) && !wanted;
    int reached = wanted && darn_reach(module, wanted);
    struct darn_ignore ignore;
    const char *warnings = getenv(DARN_WARNINGS_VARIABLE);

    is_done = false;
    darn_ignore_init(&ignore, module);
    if (reached)
        darn_origin_init_loads();
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f) || darn_ignore_function(&ignore, f))
            continue;
        if (!wanted || reached)
            watch(f);
        if (!wanted)
            darn_outside_note(f);
        if (functions && LLVMGetLinkage(f) == LLVMExternalLinkage)
            keep_apart(f);
        if (!warnings || strcmp(warnings, "0") != 0)
            darn_wait_check(f);
    }
    darn_ignore_free(&ignore);
    if (!wanted) {
        darn_whole_keep(module);
        darn_waits_note(module);
    }
    if (!wanted || reached)
        note_names(module);
}

void darn_plugin_prepare(LLVMModuleRef module)
{
    darn_stats_start();
    prepare(module);
    darn_stats_stop();
}

void darn_plugin_keep(LLVMValueRef function)
{
    darn_origin_keep(function);
}

struct instrumentation {
    LLVMTargetDataRef layout;
    struct darn_guards guards;
    struct darn_sites sites;
    struct darn_names *names;
    struct darn_plugin_escape escape;
    struct darn_trained trained;
    struct darn_spins spins;
    struct darn_call_facts calls;
    struct darn_section_finder sections;
    struct darn_units units;
    int functions; /* their beginnings and ends are told */
};

static void instrument_one(struct instrumentation *in, struct darn_plugin_access *access)
{
    access->flags |= darn_value_flags(access);
    darn_guards_place(&in->guards, access, darn_sites_record(&in->sites, access, in->names));
}

static void instrument_member(struct instrumentation *in, struct darn_members *members,
                              struct darn_plugin_access *access)
{
    access->flags |= access->dropped ? DARN_SITE_EXTRA : darn_value_flags(access);
    darn_members_add(members, &in->guards, access,
                     darn_sites_record(&in->sites, access, in->names));
}

static void instrument_function(struct instrumentation *in, struct darn_code *code)
{
    struct darn_accesses *accesses = &code->accesses;
    uint16_t flags = darn_units_flags(&in->units, code->function);
    struct darn_members members = {0};

    darn_often_find(accesses, code->function);
    darn_sites_begin(&in->sites, code->function);
    for (size_t i = 0; i < accesses->count; i++) {
        if (darn_access_is_plain(&accesses->items[i]))
            instrument_member(in, &members, &accesses->items[i]);
        else
            instrument_one(in, &accesses->items[i]);
    }
    for (size_t i = 0; i < code->mark_count; i++)
        darn_mark_place(&code->marks[i], &members, &in->guards, &in->sites, in->names);
    if (in->functions)
        darn_function_instrument(&in->guards, &in->sites, code->function,
                                 flags | darn_function_flags(code->function));
    if (darn_units_is_atomic(&in->units, code->function))
        darn_function_tell_atomic(&in->guards, &in->sites, code->function, flags);
    darn_units_instrument(&in->guards, &in->sites, in->names, code->function);
    darn_groups_split(&in->guards, code->function, &members);
    darn_members_free(&members);
}

/* Looks at all functions before the first is changed: sections reach from one into another. */
static void find_sections(struct instrumentation *in)
{
    struct darn_section_finder *sections = &in->sections;
    const char *wanted = getenv(DARN_SECTIONS_VARIABLE);

    if (wanted && strcmp(wanted, "0") == 0)
        return;
    sections->names = in->names;
    for (size_t i = 0; i < sections->code_count; i++) {
        darn_map_put(&sections->by_function, (uintptr_t)sections->codes[i].function, i + 1);
        darn_code_init(&sections->codes[i], in->layout, &in->calls);
        darn_sections_find(sections, &sections->codes[i]);
    }
    for (size_t i = 0; i < sections->code_count; i++)
        darn_sections_find_pairs(sections, &sections->codes[i]);
}

static void collect_functions(struct instrumentation *in, LLVMModuleRef module)
{
    size_t count = 0;
    LLVMValueRef f;

    for (f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        count += is_watched(f) != 0;
    in->sections.codes = calloc(count ? count : 1, sizeof(*in->sections.codes));
    if (!in->sections.codes)
        abort();
    for (f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        struct darn_code *code = &in->sections.codes[in->sections.code_count];

        if (!is_watched(f))
            continue;
        in->sections.code_count++;
        code->function = f;
        darn_inlined_fold(f);
        darn_origin_adopt(f);
        darn_spins_find(&in->spins, f);
        darn_accesses_collect(&code->accesses, f, in->layout, &in->escape, &in->spins.reads,
                              !darn_wanted());
        darn_accesses_select(&code->accesses, f);
        darn_trained_keep(&in->trained, &code->accesses);
    }
}

static void free_all(struct instrumentation *in)
{
    for (size_t i = 0; i < in->sections.code_count; i++)
        darn_code_free(&in->sections.codes[i]);
    free(in->sections.codes);
    darn_section_finder_free(&in->sections);
    darn_call_facts_free(&in->calls);
    darn_units_free(&in->units);
    darn_names_destroy(in->names);
    darn_escape_free(&in->escape);
    darn_trained_free(&in->trained);
    darn_spins_free(&in->spins);
    darn_sites_free(&in->sites);
}

/* Not a guard, nor what announces the sites. */
static int is_program(LLVMValueRef function)
{
    size_t length;

    return !LLVMIsDeclaration(function) &&
           LLVMGetLinkage(function) != LLVMAvailableExternallyLinkage &&
           strncmp(LLVMGetValueName2(function, &length), "darn", strlen("darn")) != 0;
}

static void instrument_all(struct instrumentation *in)
{
    const struct darn_wanted *wanted = darn_wanted();

    if (wanted) {
        struct darn_only only = {.wanted = wanted,
                                 .guards = &in->guards,
                                 .sites = &in->sites,
                                 .names = in->names,
                                 .sections = &in->sections};

        darn_only_instrument(&only);
        return;
    }
    for (size_t i = 0; i < in->sections.code_count; i++)
        instrument_function(in, &in->sections.codes[i]);
    for (LLVMValueRef f = LLVMGetFirstFunction(in->guards.module); f; f = LLVMGetNextFunction(f)) {
        if (is_program(f))
            darn_outside_instrument(&in->guards, f, is_watched(f));
    }
}

static int has_watched(LLVMModuleRef module)
{
    LLVMValueRef f = LLVMGetFirstFunction(module);

    while (f && !is_watched(f))
        f = LLVMGetNextFunction(f);
    return f != NULL;
}

static void instrument(LLVMModuleRef module)
{
    struct instrumentation in = {.layout = LLVMGetModuleDataLayout(module),
                                 .functions = is_set(DARN_FUNCTIONS_VARIABLE)};
    const char *file;
    size_t length;

    is_done = true;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        darn_origin_restore(f);
    if (darn_wanted())
        darn_pin_release(module);
    if (darn_wanted() && !has_watched(module))
        return;
    if (!darn_wanted())
        darn_spins_prepare(module, is_watched);
    darn_guards_init(&in.guards, module);
    darn_sites_init(&in.sites, module);
    darn_escape_init(&in.escape);
    darn_trained_init(&in.trained);
    darn_units_init(&in.units, module);
    in.names = darn_names_create(module, in.layout);
    if (darn_wanted())
        darn_names_prefer_globals(in.names);
    collect_functions(&in, module);
    find_sections(&in);
    instrument_all(&in);
    darn_sections_emit(&in.sections, &in.sites);
    darn_sites_announce(&in.sites);
    if (in.sites.count && !darn_wanted())
        tell_level(module);
    file = LLVMGetSourceFileName(module, &length);
    darn_stats_count(file, length, in.sites.count, in.sections.count);
    free_all(&in);
    darn_guards_finish(&in.guards);
    darn_waits_forget();
    darn_early_forget();
}

void darn_plugin_instrument(LLVMModuleRef module)
{
    darn_stats_start();
    instrument(module);
    darn_stats_stop();
}
