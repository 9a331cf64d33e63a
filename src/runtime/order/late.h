/*
 * What a thread will have acquired by the next thing that it does.
 *
 * The hook comes before an atomic load, and what the load tells is known after it. So the object
 * waits, and is acquired with the next thing that the thread does; and so does what a call leads to
 * that synchronizes where nobody sees it. A signal handler in between may acquire too early, and
 * take the place of what it found; so what is interrupted comes after all when the handler has
 * returned (interpose/intercept_message.c).
 */
#ifndef DARN_RUNTIME_LATE_H
#define DARN_RUNTIME_LATE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/order/clocks.h"
#include "runtime/thread/thread.h"
#include "trace/event.h"

#define DARN_LATE_OBJECTS 4 /* as many can wait */

struct darn_late {
    volatile bool is_any;  /* one of the following is to be looked at, */
    volatile bool is_more; /* perhaps another one than `objects` */
    volatile bool is_all;  /* after all that anybody did */
    bool is_foreign;       /* its task is of code outside */
    uint32_t count;
    /* What who has cancelled the thread has released to, and who may do so again; 0: nobody has.
     * When it takes effect is not seen. The only one that others set. */
    volatile uint64_t cancelled;
    uint64_t objects[DARN_LATE_OBJECTS];
    uint64_t spin;   /* one of them: a loop waits for it; 0: none does */
    uint32_t found;  /* by the time when the loop began to (handmade.h) */
    bool is_relaxed; /* a loop has waited by a relaxed load */
    uintptr_t until; /* after all that was done outside: up to this frame; 0: not */
    uintptr_t call;  /* the frame of the call that led outside; 0: it has returned */
};

void darn_late_all(struct darn_late *late);
void darn_late_object(struct darn_late *late, uint64_t object);
/* It is one that a loop waits for: if nobody has been seen to release it by then, whoever did was
 * not seen, and it comes after all. So it does if stores were found since that tell nobody
 * (handmade.h). */
void darn_late_spin(struct darn_late *late, uint64_t object, uint32_t found);
/* A loop waits by a relaxed load: it comes after all if there are barriers for it (handmade.h). */
void darn_late_relaxed(struct darn_late *late);
void darn_late_outside(struct darn_late *late, uintptr_t until);

/* Code outside has called ours: what ours does there may be told to others by code outside. */
void darn_late_called_back(void);

/* Something else than an object waits. */
static inline void darn_late_note(struct darn_late *late)
{
    late->is_more = true;
    late->is_any = true;
}

/* All objects are known. A handler that comes in between has noted something else by its end. */
static inline __attribute__((always_inline)) void darn_late_drop(struct darn_late *late)
{
    late->count = 0;
    late->is_any = false;
    if (late->is_more)
        late->is_any = true;
}

void darn_late_settle_any(struct darn_late *late, struct darn_thread *thread, const void *frame);

/* Whether nothing comes of it, and it is done. */
static inline __attribute__((always_inline)) bool
darn_late_is_settled(struct darn_late *late, struct darn_thread_clock *clock)
{
    if (late->cancelled)
        return false;
    if (!late->is_any)
        return true;
    if (late->is_more)
        return false;
    for (uint32_t i = 0; !darn_clock_is_complete(clock) && i < late->count; i++) {
        if (!darn_clock_has_seen(clock, late->objects[i]))
            return false;
    }
    darn_late_drop(late);
    return true;
}

/* Whether it waits from now on, or did already: there may be no room. */
static inline __attribute__((always_inline)) bool darn_late_waits(struct darn_late *late,
                                                                  uint64_t object)
{
    if (late->count && late->objects[late->count - 1] == object)
        return true;
    if (late->count == DARN_LATE_OBJECTS)
        return false;
    late->objects[late->count++] = object;
    late->is_any = true;
    return true;
}

/* `frame` is that of a hook or an interceptor: one that lies above the call that led outside is not
 * called by it. */
static inline void darn_late_settle(struct darn_late *late, struct darn_thread *thread,
                                    const void *frame)
{
    if (late->is_any || late->cancelled)
        darn_late_settle_any(late, thread, frame);
}

#endif
