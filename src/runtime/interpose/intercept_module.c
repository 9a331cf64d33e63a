/* The end of a thread's use of a module (module.c). */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "runtime/interpose/intercept.h"
#include "runtime/runtime_module.h"
#include "runtime/record/record.h"

DARN_INTERCEPT(int, dlclose, void *module)
{
    darn_record(darn_thread_peek(), DARN_EVENT_SEND, &darn_loader, NULL, 0,
                __builtin_frame_address(0));
    return DARN_REAL(dlclose)(module);
}
