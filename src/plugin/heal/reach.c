#include "plugin/heal/reach.h"

#include <llvm-c/DebugInfo.h>
#include <stdio.h>

#include "plugin/core/debuginfo.h"
#include "plugin/core/plugin_escape.h"
#include "plugin/call/libcalls.h"
#include "plugin/name/names.h"
#include "plugin/core/plugin_sites.h"
#include "plugin/core/type.h"
#include "plugin/heal/pin.h"
#include "site/site.h"

#define MAX_NAME 256

struct reach {
    const struct darn_wanted *wanted;
    struct darn_names *names;
    struct darn_plugin_escape escape;
    LLVMTargetDataRef layout;
};

static int is_wanted_access(struct reach *reach, LLVMValueRef instruction, LLVMValueRef pointer)
{
    char variable[MAX_NAME], type[MAX_NAME];
    uint8_t class;

    if (darn_pointer_is_private(&reach->escape, pointer)) /* a local that has the same name */
        return 0;
    darn_names_variable(reach->names, instruction, pointer, variable, sizeof(variable));
    class = darn_names_class(reach->names, variable);
    darn_type_of(instruction, darn_names_owner(reach->names), type, sizeof(type));
    if (darn_wanted_variable(reach->wanted, variable, class, type))
        return 1;
    for (uint8_t kind = DARN_SITE_READ; kind <= DARN_SITE_UPDATE; kind++) {
        if (darn_points_has_access(&reach->wanted->points, darn_sites_key(instruction, kind, 0),
                                   type))
            return 1;
    }
    return 0;
}

static int is_wanted_call(struct reach *reach, LLVMValueRef call)
{
    const struct darn_libcall *libcall = darn_libcall(call);

    if (LLVMIsAMemCpyInst(call) || LLVMIsAMemMoveInst(call))
        return is_wanted_access(reach, call, LLVMGetOperand(call, 0)) ||
               is_wanted_access(reach, call, LLVMGetOperand(call, 1));
    if (LLVMIsAMemSetInst(call))
        return is_wanted_access(reach, call, LLVMGetOperand(call, 0));
    for (int i = 0; libcall && i < DARN_MAX_EFFECTS && libcall->effects[i].extent; i++) {
        if (is_wanted_access(reach, call, LLVMGetArgOperand(call, libcall->effects[i].argument)))
            return 1;
    }
    return 0;
}

static int is_wanted_instruction(struct reach *reach, LLVMValueRef instruction)
{
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMLoad:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return is_wanted_access(reach, instruction, LLVMGetOperand(instruction, 0));
    case LLVMStore:
        return is_wanted_access(reach, instruction, LLVMGetOperand(instruction, 1));
    case LLVMCall:
    case LLVMInvoke:
        return is_wanted_call(reach, instruction);
    default:
        return 0;
    }
}

/* By name: a section may begin and end in functions that it calls. */
static int is_wanted_function(struct reach *reach, LLVMValueRef function)
{
    LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
    LLVMMetadataRef info = subprogram ? LLVMDIScopeGetFile(subprogram) : NULL;
    char file[MAX_NAME], name[MAX_NAME];
    struct darn_text text;
    unsigned length = 0;
    const char *path = info ? LLVMDIFileGetFilename(info, &length) : NULL;

    darn_text_start(&text, name, sizeof(name));
    if (!path || darn_di_string(darn_di_operand(subprogram, DARN_DI_SUBPROGRAM_NAME), &text))
        return 0;
    snprintf(file, sizeof(file), "%.*s", (int)length, path);
    return darn_wanted_function(reach->wanted, file, name);
}

static int is_in_lines(const struct reach *reach, LLVMValueRef instruction)
{
    unsigned length = 0;
    const char *path = LLVMGetDebugLocFilename(instruction, &length);
    char file[MAX_NAME];

    snprintf(file, sizeof(file), "%.*s", (int)length, path ? path : "");
    return darn_wanted_line(reach->wanted, file, LLVMGetDebugLocLine(instruction));
}

static int look_at(struct reach *reach, LLVMValueRef function)
{
    int is_wanted = is_wanted_function(reach, function), found = is_wanted;
    LLVMBasicBlockRef block;
    LLVMValueRef in;

    for (block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
        for (in = LLVMGetFirstInstruction(block); in; in = LLVMGetNextInstruction(in)) {
            if (!is_wanted_instruction(reach, in))
                continue;
            found = 1;
            if (is_wanted || is_in_lines(reach, in))
                darn_pin(in, reach->layout);
        }
    }
    return found;
}

int darn_reach(LLVMModuleRef module, const struct darn_wanted *wanted)
{
    struct reach reach = {.wanted = wanted, .layout = LLVMGetModuleDataLayout(module)};
    int found = 0;

    if (!wanted->count)
        return 0;
    reach.names = darn_names_create(module, reach.layout);
    darn_escape_init(&reach.escape);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        found |= look_at(&reach, f);
    darn_names_destroy(reach.names);
    darn_escape_free(&reach.escape);
    return found;
}
