#include "plugin/section/mark.h"

#include "site/site_guard.h"
#include "site/site.h"

/* Where the mark goes: in front of all that was put there for accesses. */
static LLVMValueRef place_of_mark(const struct darn_mark *mark)
{
    LLVMValueRef in;

    if (mark->call)
        return mark->before ? mark->call : LLVMGetNextInstruction(mark->call);
    in = LLVMGetFirstInstruction(mark->block);
    while (LLVMIsAPHINode(in) || LLVMIsALandingPadInst(in))
        in = LLVMGetNextInstruction(in);
    return in;
}

void darn_mark_place(const struct darn_mark *mark, struct darn_guards *guards,
                     struct darn_sites *sites, struct darn_names *names)
{
    struct darn_plugin_access access = {.instruction = mark->position,
                                        .kind = mark->before ? DARN_SITE_CALL : DARN_SITE_LEAVE,
                                        .shift = mark->shift};
    const char *hook = mark->before ? DARN_HOOK_CALL : DARN_HOOK_LEAVE;

    darn_guards_place_armed(guards, place_of_mark(mark), hook, NULL,
                            darn_sites_record(sites, &access, names));
}
