/* What the source says at the calls of a story. */
#include <ctype.h>
#include <string.h>

#include "report/call.h"
#include "report/story/snapshot_private.h"

static bool is_part_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static struct darn_frame frame_of(const struct darn_snapshot_place *place)
{
    return (struct darn_frame){
        .file = place->file, .dir = place->dir, .line = place->line, .column = place->column};
}

const char *darn_snapshot_argument(struct darn_text_pool *pool,
                                   const struct darn_snapshot_place *place)
{
    struct darn_frame at = frame_of(place);

    return darn_call_object(pool, &at);
}

/* `worker` of `&worker` and `(start *)worker`; NULL of what is no plain name. */
static const char *plain_name(const char *text)
{
    const char *start = text + strlen(text), *before;

    while (start > text && is_part_of_name(start[-1]))
        start--;
    for (before = start; before > text && (before[-1] == '&' || before[-1] == ' ');)
        before--;
    return *start && (before == text || before[-1] == ')') ? start : NULL;
}

static bool is_function(const struct darn_snapshot *snapshot, const char *module, const char *name)
{
    Dwfl_Module *opened = darn_module_open(snapshot->modules, module);
    int count = opened ? dwfl_module_getsymtab(opened) : 0;

    for (int i = 0; i < count; i++) {
        GElf_Sym symbol;
        const char *found = dwfl_module_getsym(opened, i, &symbol, NULL);

        if (found && GELF_ST_TYPE(symbol.st_info) == STT_FUNC && strcmp(found, name) == 0)
            return true;
    }
    return false;
}

const char *darn_snapshot_started(const struct darn_snapshot *snapshot, struct darn_text_pool *pool,
                                  uint64_t creation)
{
    struct darn_snapshot_place place =
        darn_snapshot_place(snapshot, pool, DARN_STEP_CREATE, creation);
    uint64_t offset;
    const char *module = darn_snapshot_locate(snapshot, pool, creation, &offset);
    struct darn_frame at = frame_of(&place);
    const char *found = darn_call_argument(pool, &at, "pthread_create", 2), *name;

    if (!found)
        found = darn_call_argument(pool, &at, "thrd_create", 1);
    name = found ? plain_name(found) : NULL;
    return name && module && is_function(snapshot, module, name) ? name : NULL;
}
