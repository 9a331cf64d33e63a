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

static struct darn_record record_of(const struct darn_mark *mark, struct darn_sites *sites,
                                    struct darn_names *names)
{
    struct darn_plugin_access access = {.instruction = mark->position,
                                        .kind = mark->before ? DARN_SITE_CALL : DARN_SITE_LEAVE,
                                        .shift = mark->shift};

    return darn_sites_record(sites, &access, names);
}

void darn_mark_place(const struct darn_mark *mark, struct darn_members *members,
                     struct darn_guards *guards, struct darn_sites *sites, struct darn_names *names)
{
    struct darn_plugin_access access = {.instruction = place_of_mark(mark),
                                        .kind = mark->before ? DARN_SITE_CALL : DARN_SITE_LEAVE};

    darn_members_add(members, guards, &access, record_of(mark, sites, names));
}

void darn_mark_place_armed(const struct darn_mark *mark, struct darn_guards *guards,
                           struct darn_sites *sites, struct darn_names *names)
{
    darn_guards_place_armed(guards, place_of_mark(mark),
                            mark->before ? DARN_HOOK_CALL : DARN_HOOK_LEAVE, NULL,
                            record_of(mark, sites, names));
}
