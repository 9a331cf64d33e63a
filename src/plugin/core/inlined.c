#include "plugin/core/inlined.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

#include "base/text.h"
#include "plugin/core/debuginfo.h"
#include "site/site.h"

/* Levels of inlining that are looked at. */
#define MAX_INLINED 64

/* The name of the function that a place is in; 0, or there is none. */
static int name_at(LLVMMetadataRef location, struct darn_text *text)
{
    LLVMMetadataRef scope = darn_di_function(LLVMDILocationGetScope(location));

    return scope ? darn_di_string(darn_di_operand(scope, DARN_DI_SUBPROGRAM_NAME), text) : -1;
}

void darn_inlined_function(LLVMValueRef instruction, char *to, size_t size)
{
    LLVMMetadataRef location = LLVMInstructionGetDebugLoc(instruction);
    struct darn_text text;
    size_t length;

    darn_text_start(&text, to, size);
    if (location && name_at(location, &text) == 0)
        return;
    darn_text_add(
        &text,
        LLVMGetValueName2(LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction)), &length));
}

/* darn_site_call_of the call at this place. */
static uint32_t call_at(LLVMMetadataRef call)
{
    char function[1024];
    struct darn_text text;

    darn_text_start(&text, function, sizeof(function));
    name_at(call, &text);
    return darn_site_call_of(function, LLVMDILocationGetLine(call));
}

/* From the outermost call inwards. */
static uint32_t calls_around(LLVMMetadataRef call, int depth)
{
    LLVMMetadataRef next = depth ? LLVMDILocationGetInlinedAt(call) : NULL;

    return next ? darn_site_calls(call_at(next), calls_around(next, depth - 1)) : 0;
}

uint64_t darn_inlined_copy(LLVMValueRef instruction)
{
    LLVMMetadataRef location = LLVMInstructionGetDebugLoc(instruction);
    LLVMMetadataRef call = location ? LLVMDILocationGetInlinedAt(location) : NULL;

    if (!call)
        return 0;
    return (uint64_t)calls_around(call, MAX_INLINED) << 32 | call_at(call);
}

/* Not those of C++: what they have is code of its own, and has names that people know. */
static int is_libc_header(LLVMMetadataRef scope)
{
    LLVMMetadataRef file = scope ? LLVMDIScopeGetFile(scope) : NULL;
    unsigned length = 0;
    const char *name = file ? LLVMDIFileGetFilename(file, &length) : "";
    char path[1024];
    struct darn_text text;

    darn_text_start(&text, path, sizeof(path));
    darn_text_part(&text, name, length);
    return strstr(path, "/include/") && strstr(path, "/bits/") && !strstr(path, "/c++/");
}

void darn_inlined_fold(LLVMValueRef function)
{
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);

    for (; block; block = LLVMGetNextBasicBlock(block)) {
        for (LLVMValueRef in = LLVMGetFirstInstruction(block); in;
             in = LLVMGetNextInstruction(in)) {
            LLVMMetadataRef location = LLVMInstructionGetDebugLoc(in), call;

            while (location && (call = LLVMDILocationGetInlinedAt(location)) &&
                   is_libc_header(LLVMDILocationGetScope(location))) {
                location = call;
                LLVMInstructionSetDebugLoc(in, location);
            }
        }
    }
}
