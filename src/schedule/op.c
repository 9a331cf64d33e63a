#include "schedule/op.h"

#include <stddef.h>
#include <string.h>

static const char *const names[DARN_STEP_OPS] = {
    [DARN_STEP_START] = "start",         [DARN_STEP_READ] = "read",
    [DARN_STEP_WRITE] = "write",         [DARN_STEP_UPDATE] = "update",
    [DARN_STEP_FREE] = "free",           [DARN_STEP_DESTROY] = "destroy",
    [DARN_STEP_CLOSE] = "close",         [DARN_STEP_USE] = "use",
    [DARN_STEP_LOCK] = "lock",           [DARN_STEP_TRYLOCK] = "trylock",
    [DARN_STEP_UNLOCK] = "unlock",       [DARN_STEP_READLOCK] = "readlock",
    [DARN_STEP_WRITELOCK] = "writelock", [DARN_STEP_RWUNLOCK] = "rwunlock",
    [DARN_STEP_WAIT] = "wait",           [DARN_STEP_RELOCK] = "relock",
    [DARN_STEP_SIGNAL] = "signal",       [DARN_STEP_BROADCAST] = "broadcast",
    [DARN_STEP_WAKE] = "wake",           [DARN_STEP_TAKE] = "take",
    [DARN_STEP_POST] = "post",           [DARN_STEP_BARRIER] = "barrier",
    [DARN_STEP_ONCE] = "once",           [DARN_STEP_CREATE] = "create",
    [DARN_STEP_JOIN] = "join",           [DARN_STEP_DETACH] = "detach",
    [DARN_STEP_CANCEL] = "cancel",       [DARN_STEP_EXIT] = "exit",
    [DARN_STEP_YIELD] = "yield",         [DARN_STEP_SLEEP] = "sleep",
    [DARN_STEP_CALL] = "call",           [DARN_STEP_SPIN] = "spin",
    [DARN_STEP_FINISH] = "finish",
};

const char *darn_step_op_name(enum darn_step_op op)
{
    return (unsigned)op < DARN_STEP_OPS ? names[op] : NULL;
}

enum darn_step_op darn_step_op_of(const char *name, unsigned long length)
{
    for (int op = 1; op < DARN_STEP_OPS; op++) {
        if (strlen(names[op]) == length && memcmp(names[op], name, length) == 0)
            return (enum darn_step_op)op;
    }
    return DARN_STEP_NONE;
}
