/* The end of a thread's use of a module (module.c). */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "runtime/interpose/intercept.h"
#include "runtime/order/ordering.h"
#include "runtime/order/outside.h"
#include "runtime/runtime_module.h"
#include "runtime/record/record.h"
#include "runtime/thread/unwind.h"

DARN_INTERCEPT(int, dlclose, void *module)
{
    struct darn_thread *thread = darn_thread_peek();
    const void *frame = __builtin_frame_address(0);
    int result;

    darn_record(thread, DARN_EVENT_SEND, &darn_loader, NULL, 0, frame);
    darn_order_calls(thread, frame);
    result = DARN_REAL(dlclose)(module);
    darn_unwind_forget();
    darn_outside_forget();
    return result;
}
