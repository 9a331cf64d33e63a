/*
 * The watch table (AtomRace, figure 2): the windows that are open.
 *
 * A thread that stands right before its access opens a window, waits, and closes it again. A thread
 * that comes to a conflicting access meanwhile finds the window and claims it. At that moment both
 * stand before their accesses, with no synchronization between hook and access: whatever the
 * program uses to synchronize, it did not keep these two apart. Signals are blocked while a window
 * is open, for a signal handler is code between hook and access, and could synchronize.
 */
#ifndef DARN_RUNTIME_WATCH_H
#define DARN_RUNTIME_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/thread/thread.h"
#include "runtime/watch/touch.h"

/* Everything about one of the two accesses that a report shows. */
struct darn_side {
    struct darn_touch touch;
    uint32_t thread;
    uint32_t parent;
    int tid;
    bool has_parent;
    char name[16];
    struct darn_stack stack;
    struct darn_stack created;
    struct darn_locks locks;
};

/* Fills in what the thread knows about its access. `frame` is that of the hook. */
void darn_side_fill(struct darn_side *side, struct darn_thread *thread,
                    const struct darn_touch *touch, const void *frame);

/* The same for another thread, which waits in a frame, or did a moment ago; without a name. */
void darn_side_fill_waiting(struct darn_side *side, const struct darn_thread *thread,
                            const void *frame);

/* If the access runs into a window of another thread, claims it. Returns whether it did. */
bool darn_watch_check(struct darn_thread *thread, const struct darn_touch *touch,
                      const void *frame);

/* Opens a window, waits so long in the way that noise_kind says, closes it, and reports what came.
 * With `invited`, only if there is still an offer in the sampler's invitation. */
void darn_watch_stand(struct darn_thread *thread, const struct darn_touch *touch, const void *frame,
                      uint64_t nanoseconds, bool invited);

/* The thread leaves its hook and writes next: should the value change under somebody, it was not
 * unseen. */
void darn_watch_pass(struct darn_thread *thread, const struct darn_touch *touch);

bool darn_watch_is_open(void);

/* Calls back with the bytes of each open window; returns whether there was one. */
bool darn_watch_each(void (*visit)(uintptr_t address, uint32_t size));

/* In the child of fork: the threads that stood in windows are gone. */
void darn_watch_after_fork(void);

#endif
