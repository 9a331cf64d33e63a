#include "trace/kinds.h"

#include <stddef.h>

static const char *const kinds[DARN_EVENT_KINDS] = {
    [DARN_EVENT_READ] = "read",
    [DARN_EVENT_WRITE] = "write",
    [DARN_EVENT_UPDATE] = "update",
    [DARN_EVENT_ACQUIRE] = "acquire",
    [DARN_EVENT_RELEASE] = "release",
    [DARN_EVENT_REQUEST] = "request",
    [DARN_EVENT_FORK] = "fork",
    [DARN_EVENT_JOIN] = "join",
    [DARN_EVENT_START] = "start",
    [DARN_EVENT_EXIT] = "exit",
    [DARN_EVENT_ARRIVE] = "arrive",
    [DARN_EVENT_DEPART] = "depart",
    [DARN_EVENT_WAIT] = "wait",
    [DARN_EVENT_WAKE] = "wake",
    [DARN_EVENT_SIGNAL] = "signal",
    [DARN_EVENT_BROADCAST] = "broadcast",
    [DARN_EVENT_POST] = "post",
    [DARN_EVENT_TAKE] = "take",
    [DARN_EVENT_SEND] = "send",
    [DARN_EVENT_RECEIVE] = "receive",
    [DARN_EVENT_FENCE] = "fence",
    [DARN_EVENT_ALLOC] = "alloc",
    [DARN_EVENT_FREE] = "free",
    [DARN_EVENT_BEGIN] = "begin",
    [DARN_EVENT_END] = "end",
    [DARN_EVENT_SPIN] = "spin",
    [DARN_EVENT_STACK] = "stack",
    [DARN_EVENT_POINTER] = "pointer",
    [DARN_EVENT_AFTER_ALL] = "after-all",
    [DARN_EVENT_USE] = "use",
    [DARN_EVENT_DESTROY] = "destroy",
};

static const char *const objects[DARN_EVENT_OBJECTS] = {
    [DARN_EVENT_IS_MUTEX] = "mutex",
    [DARN_EVENT_IS_RWLOCK] = "rwlock",
    [DARN_EVENT_IS_SPIN] = "spin",
    [DARN_EVENT_IS_COND] = "cond",
    [DARN_EVENT_IS_BARRIER] = "barrier",
    [DARN_EVENT_IS_SEMAPHORE] = "semaphore",
    [DARN_EVENT_IS_DESCRIPTOR] = "descriptor",
    [DARN_EVENT_IS_STREAM] = "stream",
    [DARN_EVENT_IS_STACK] = "stack",
};

static const char *const locks[] = {
    [DARN_EVENT_MUTEX] = "mutex",
    [DARN_EVENT_RDLOCK] = "read",
    [DARN_EVENT_WRLOCK] = "write",
    [DARN_EVENT_SPINLOCK] = "spin",
};

const char *darn_event_kind_name(unsigned kind)
{
    return kind < DARN_EVENT_KINDS && kinds[kind] ? kinds[kind] : "unknown";
}

const char *darn_event_object_name(unsigned object)
{
    return object < DARN_EVENT_OBJECTS ? objects[object] : NULL;
}

const char *darn_event_lock_name(unsigned lock)
{
    return lock < sizeof(locks) / sizeof(locks[0]) ? locks[lock] : "unknown";
}
