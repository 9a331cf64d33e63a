/*
 * Functions of the program that libraries call under locks of their own, or when the process ends:
 * by functions of ours, which say what is before and after.
 */
#define _GNU_SOURCE
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/interpose/callback.h"
#include "runtime/interpose/intercept.h"
#include "runtime/order/ordering.h"
#include "runtime/order/outside.h"
#include "runtime/os/os.h"
#include "runtime/record/record.h"

#define FRAME __builtin_frame_address(0)

static void tell(enum darn_event_kind kind, uint64_t target, const void *frame)
{
    struct darn_thread *thread = darn_events_wanted() ? darn_thread_self() : NULL;
    struct darn_event event = {.kind = (uint8_t)kind, .target = target};

    if (thread)
        darn_record_event(thread, &event, NULL, frame);
}

/* ---- under the lock of the loader ---- */

#define LOADER (UINT64_C(1) << 57 | 1) /* no address of the program */

struct visit {
    int (*run)(struct dl_phdr_info *, size_t, void *);
    void *context;
};

static int visit_module(struct dl_phdr_info *info, size_t size, void *argument)
{
    const struct visit *visit = argument;
    int result;

    tell(DARN_EVENT_RECEIVE, LOADER, FRAME);
    result = visit->run(info, size, visit->context);
    tell(DARN_EVENT_SEND, LOADER, FRAME);
    return result;
}

/* Who only wants to print its stack leaves its sections, too (intercept_jump.c). */
DARN_INTERCEPT(int, dl_iterate_phdr, int (*run)(struct dl_phdr_info *, size_t, void *),
               void *context)
{
    struct visit visit = {run, context};

    darn_jump_leave();
    if (!darn_events_wanted() || !darn_outside_is_marked((uintptr_t)run)) /* the unwinder */
        return DARN_REAL(dl_iterate_phdr)(run, context);
    return DARN_REAL(dl_iterate_phdr)(visit_module, &visit);
}

/* ---- under the lock of a stream ---- */

struct cookie {
    void *cookie;
    cookie_io_functions_t functions;
};

#define CALLS_BACK(result, name, parameters, ...)                                                  \
    static result cookie_##name parameters                                                         \
    {                                                                                              \
        struct cookie *ours = cookie;                                                              \
        result got;                                                                                \
                                                                                                   \
        tell(DARN_EVENT_RECEIVE, (uintptr_t)ours, FRAME);                                          \
        got = ours->functions.name(ours->cookie, ##__VA_ARGS__);                                   \
        tell(DARN_EVENT_SEND, (uintptr_t)ours, FRAME);                                             \
        return got;                                                                                \
    }

CALLS_BACK(ssize_t, read, (void *cookie, char *to, size_t size), to, size)
CALLS_BACK(ssize_t, write, (void *cookie, const char *from, size_t size), from, size)
CALLS_BACK(int, seek, (void *cookie, off64_t *at, int whence), at, whence)

static int cookie_close(void *cookie)
{
    struct cookie *ours = cookie;
    int result = 0;

    tell(DARN_EVENT_RECEIVE, (uintptr_t)ours, FRAME);
    if (ours->functions.close)
        result = ours->functions.close(ours->cookie);
    darn_os_free(ours, sizeof(*ours));
    return result;
}

DARN_INTERCEPT(FILE *, fopencookie, void *cookie, const char *mode, cookie_io_functions_t functions)
{
    struct cookie *ours = darn_os_allocate(sizeof(*ours));
    FILE *stream;

    if (!ours)
        return DARN_REAL(fopencookie)(cookie, mode, functions);
    *ours = (struct cookie){cookie, functions};
    functions.read = functions.read ? cookie_read : NULL;
    functions.write = functions.write ? cookie_write : NULL;
    functions.seek = functions.seek ? cookie_seek : NULL;
    functions.close = cookie_close;
    stream = DARN_REAL(fopencookie)(ours, mode, functions);
    if (!stream)
        darn_os_free(ours, sizeof(*ours));
    return stream;
}

/* ---- at the end of the process ---- */

/* What is to be done at the end is done after who has asked for it has done all that it did. */
static void come_after(void *unused)
{
    struct darn_thread *thread = darn_thread_peek();

    (void)unused;
    if (thread && darn_ordering)
        darn_order_after_all(thread);
}

DARN_INTERCEPT(int, __cxa_atexit, void (*run)(void *), void *argument, void *module)
{
    int result = DARN_REAL(__cxa_atexit)(run, argument, module);

    if (result == 0 && darn_ordering)
        DARN_REAL(__cxa_atexit)(come_after, NULL, module); /* the last one comes first */
    return result;
}

DARN_INTERCEPT(int, __cxa_at_quick_exit, void (*run)(void *), void *module)
{
    int result = DARN_REAL(__cxa_at_quick_exit)(run, module);

    if (result == 0 && darn_ordering)
        DARN_REAL(__cxa_at_quick_exit)(come_after, module);
    return result;
}

static void come_after_status(int status, void *unused)
{
    (void)status;
    come_after(unused);
}

DARN_INTERCEPT(int, on_exit, void (*run)(int, void *), void *argument)
{
    int result = DARN_REAL(on_exit)(run, argument);

    if (result == 0 && darn_ordering)
        DARN_REAL(on_exit)(come_after_status, NULL);
    return result;
}
