#include "plugin/core/function.h"

#include <string.h>

#include "site/site.h"
#include "site/site_guard.h"

static int is_static_alloca(LLVMValueRef instruction)
{
    return LLVMIsAAllocaInst(instruction) && LLVMIsAConstantInt(LLVMGetOperand(instruction, 0));
}

/* Behind the local variables: one that comes after a branch would be allocated at run time. */
static LLVMValueRef beginning(LLVMValueRef function)
{
    LLVMValueRef in = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)), first = in;

    for (; in; in = LLVMGetNextInstruction(in)) {
        if (is_static_alloca(in))
            first = LLVMGetNextInstruction(in);
    }
    return first;
}

/* Where the function ends with this block, or NULL. Nothing may stand between a call that must be a
 * tail call and its return. */
static LLVMValueRef end_of(LLVMBasicBlockRef block)
{
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(block);
    LLVMValueRef before = LLVMGetPreviousInstruction(terminator);

    if (LLVMIsAResumeInst(terminator))
        return terminator;
    if (!LLVMIsAReturnInst(terminator))
        return NULL;
    if (before && LLVMIsABitCastInst(before))
        before = LLVMGetPreviousInstruction(before);
    if (before && LLVMIsACallInst(before) &&
        LLVMGetTailCallKind(before) == LLVMTailCallKindMustTail)
        return before;
    return terminator;
}

typedef void place(struct darn_guards *guards, LLVMValueRef before, const char *hook_name,
                   LLVMValueRef site);

static void tell(struct darn_guards *guards, struct darn_sites *sites, LLVMValueRef function,
                 uint16_t flags, place *place, const char *const hooks[2])
{
    LLVMValueRef site = darn_sites_add_function(sites, flags);
    LLVMBasicBlockRef block;

    if (!site)
        return;
    for (block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef end = end_of(block);

        if (end)
            place(guards, end, hooks[1], site);
    }
    place(guards, beginning(function), hooks[0], site);
}

/* By its mangled name: `_Z`, `Z` where it is local to a function, `N` and qualifiers of a member,
 * the namespace; std::string and the streams have short names. */
uint16_t darn_function_flags(LLVMValueRef function)
{
    static const char *const namespaces[] = {"St", "Sa", "Sb", "Ss", "Si", "So", "Sd",
                                             "9__gnu_cxx"};
    size_t length;
    const char *name = LLVMGetValueName2(function, &length);

    if (strncmp(name, "_Z", 2) != 0)
        return 0;
    name += 2;
    name += strspn(name, "Z");
    name += *name == 'N' ? 1 + strspn(name + 1, "rVKRO") : 0;
    for (size_t i = 0; i < sizeof(namespaces) / sizeof(namespaces[0]); i++)
        if (strncmp(name, namespaces[i], strlen(namespaces[i])) == 0)
            return DARN_SITE_NO_UNIT;
    return 0;
}

void darn_function_instrument(struct darn_guards *guards, struct darn_sites *sites,
                              LLVMValueRef function, uint16_t flags)
{
    static const char *const hooks[] = {DARN_HOOK_BEGIN, DARN_HOOK_END};

    tell(guards, sites, function, flags, darn_guards_place_function, hooks);
}

void darn_function_tell_atomic(struct darn_guards *guards, struct darn_sites *sites,
                               LLVMValueRef function, uint16_t flags)
{
    static const char *const hooks[] = {DARN_HOOK_ATOMIC_BEGIN, DARN_HOOK_ATOMIC_END};

    tell(guards, sites, function, flags, darn_guards_place_atomic, hooks);
}
