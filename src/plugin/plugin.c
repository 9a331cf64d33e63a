#include "plugin/plugin.h"

#include <llvm-c/Target.h>
#include <stdlib.h>
#include <string.h>

#include "plugin/access.h"
#include "plugin/function.h"
#include "plugin/group.h"
#include "plugin/guard.h"
#include "plugin/ignore.h"
#include "plugin/names.h"
#include "plugin/origin.h"
#include "plugin/select.h"
#include "plugin/sites.h"
#include "plugin/spin.h"
#include "plugin/wait.h"
#include "plugin/wait_check.h"
#include "site/site.h"

/* A function that has this attribute at the end of the pipeline is watched. */
#define WATCHED "sanitize_thread"

static unsigned watched_kind(void)
{
    return LLVMGetEnumAttributeKindForName(WATCHED, strlen(WATCHED));
}

void darn_plugin_load(void)
{
    darn_origin_init();
}

/*
 * With sanitize_thread the optimizer invents hardly any loads (see origin.h for the rest), and does
 * not inline a function that has it not (one that is ignored) into one that has it. No TSan pass
 * runs.
 */
void darn_plugin_prepare(LLVMModuleRef module)
{
    struct darn_ignore ignore;
    const char *warnings = getenv(DARN_WARNINGS_VARIABLE);
    LLVMAttributeRef watched =
        LLVMCreateEnumAttribute(LLVMGetModuleContext(module), watched_kind(), 0);

    darn_ignore_init(&ignore, module);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f) || darn_ignore_function(&ignore, f))
            continue;
        LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, watched);
        darn_origin_note(f);
        if (!warnings || strcmp(warnings, "0") != 0)
            darn_wait_check(f);
    }
    darn_ignore_free(&ignore);
    darn_waits_note(module);
}

static int is_set(const char *variable)
{
    const char *value = getenv(variable);

    return value && *value && strcmp(value, "0") != 0;
}

static int is_watched(LLVMValueRef function)
{
    return !LLVMIsDeclaration(function) &&
           LLVMGetLinkage(function) != LLVMAvailableExternallyLinkage &&
           LLVMGetEnumAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                       watched_kind());
}

struct instrumentation {
    LLVMTargetDataRef layout;
    struct darn_guards guards;
    struct darn_sites sites;
    struct darn_names *names;
    struct darn_escape escape;
    struct darn_spins spins;
    int functions; /* their beginnings and ends are told */
};

static void instrument_one(struct instrumentation *in, struct darn_access *access)
{
    if (access->value && darn_guards_take(access->value))
        access->flags |= DARN_SITE_VALUE;
    darn_guards_place(&in->guards, access, darn_sites_add(&in->sites, access, in->names));
}

/*
 * Of the values that a group writes only constants are handed over: others are computed behind the
 * guard, or would have to be kept for it.
 */
static void instrument_group(struct instrumentation *in, struct darn_access *accesses,
                             size_t extent)
{
    struct darn_member members[DARN_GROUP_MAX];
    unsigned count = 0;

    for (size_t i = 0; i < extent; i++) {
        struct darn_access *access = &accesses[i];

        if (access->dropped)
            continue;
        if (access->value && LLVMIsAConstantInt(access->value) && darn_guards_take(access->value))
            access->flags |= DARN_SITE_VALUE;
        members[count++] = (struct darn_member){access->pointer, access->value,
                                                darn_sites_add(&in->sites, access, in->names)};
    }
    darn_guards_place_group(&in->guards, accesses[0].instruction, members, count);
}

static void instrument_function(struct instrumentation *in, LLVMValueRef function)
{
    struct darn_accesses accesses = {0};
    struct darn_map order = {0};

    darn_spins_find(&in->spins, function);
    darn_accesses_collect(&accesses, function, in->layout, &in->escape, &in->spins.reads);
    darn_accesses_select(&accesses, function);
    darn_group_number(&order, function);
    darn_sites_begin(&in->sites, function);
    for (size_t i = 0, extent; i < accesses.count; i += extent) {
        extent = 1;
        if (accesses.items[i].dropped)
            continue;
        extent = darn_group_extent(&accesses, i, &order);
        if (extent > 1)
            instrument_group(in, &accesses.items[i], extent);
        else
            instrument_one(in, &accesses.items[i]);
    }
    if (in->functions)
        darn_function_instrument(&in->guards, &in->sites, function);
    darn_sites_end(&in->sites);
    darn_map_free(&order);
    darn_accesses_free(&accesses);
}

void darn_plugin_instrument(LLVMModuleRef module)
{
    struct instrumentation in = {.layout = LLVMGetModuleDataLayout(module),
                                 .functions = is_set(DARN_FUNCTIONS_VARIABLE)};

    darn_spins_prepare(module, is_watched);
    darn_guards_init(&in.guards, module);
    darn_sites_init(&in.sites, module);
    darn_escape_init(&in.escape);
    in.names = darn_names_create(module, in.layout);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (is_watched(f))
            instrument_function(&in, f);
    }
    darn_names_destroy(in.names);
    darn_escape_free(&in.escape);
    darn_spins_free(&in.spins);
    darn_sites_announce(&in.sites);
    darn_sites_free(&in.sites);
    darn_guards_finish(&in.guards);
    darn_waits_forget();
}
