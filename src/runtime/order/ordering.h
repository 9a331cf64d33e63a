/*
 * Happens-before in an ordinary run: what synchronizes moves the clocks (clocks.h), accesses that
 * come to the hooks are remembered (remembered.h), and two of them that conflict and that nothing
 * orders are a race of this run, also if a second lies between them.
 *
 * What darn cannot see through counts as order: a read that may spin, a fence, a thread that nobody
 * has seen being made, and code that was not compiled by darn come after all that anybody did.
 */
#ifndef DARN_RUNTIME_ORDERING_H
#define DARN_RUNTIME_ORDERING_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/thread/thread.h"
#include "runtime/watch/touch.h"
#include "runtime/watch/watch.h"
#include "site/site.h"
#include "trace/event.h"

/* Whether anybody wants to know what orders threads, the clocks or a trace: from the moment on when
 * there is a second thread. Guards of atomic operations look at it (site/site_guard.h). */
extern volatile uint8_t darn_ordering;

/* Whether relaxed stores call their hook: a thread has passed a fence that releases, and they tell
 * something from then on; or which of them ever run is of interest (handmade.h). */
extern volatile uint8_t darn_fenced;

/* Whether clocks are kept: darn_ordering, in a run that is watched. */
extern bool darn_clocks_kept;

/* The program is about to have a second thread. */
void darn_order_start(void);

void darn_order_thread_start(struct darn_thread *thread);
void darn_order_thread_end(struct darn_thread *thread);

/* What the recorder is told, too (record.h). */
void darn_order_event(struct darn_thread *thread, const struct darn_event *event,
                      const void *frame);

/* An access that is about to happen; `frame` is that of the hook. */
void darn_order_access(struct darn_thread *thread, const struct darn_touch *touch,
                       const void *frame);

/* The same, if it is recorded. Whether the thread was called by code outside: nobody will see what
 * it tells to others afterwards. */
bool darn_order_recorded(struct darn_thread *thread, const void *frame);

/* There is no memory for a thread: what it orders is not seen, and from now on nothing is reported
 * for want of order. */
void darn_order_lose(void);
bool darn_order_is_lost(void);

/* What the thread does from now on comes after all that anybody did until then: it is about to read
 * what may be the waiting half of hand-made synchronization, or something else that is not seen
 * through. */
void darn_order_after_all(struct darn_thread *thread);

/* The same after what was released to the object by then: the thread is about to get it. */
void darn_order_later(struct darn_thread *thread, uint64_t object);

/* It is about to load, by a relaxed operation or a plain one, what a loop waits for: that comes
 * after all as well, if it may be meant to order anything. */
void darn_order_waits(struct darn_thread *thread, const struct darn_site *site);

/* The same for the one of this number, which the thread is about to cancel. */
void darn_order_cancel(struct darn_thread *thread, uint32_t number);

/* An interceptor with this frame has said what its function does, and is about to call it: what
 * that calls in turn comes after all that was done outside until then. */
void darn_order_calls(struct darn_thread *thread, const void *frame);

/* The constructors of a module are about to run. Whoever opens it later comes after them by the
 * loader's lock, as after all that is called by code outside. */
void darn_order_loading(void);

/* Whether it is code that darn does not know that calls ours in this thread from now on: the task
 * of OpenMP that the thread is busy with. */
void darn_order_set_foreign(struct darn_thread *thread, bool is_foreign);

/* What threads other than this one were last seen doing to the eight bytes around an address,
 * writers first, each thread once: how many sides are filled. `old`: also to memory that was there
 * before. */
uint32_t darn_order_last(uint32_t but, uintptr_t address, bool old, struct darn_side *sides,
                         uint32_t most);

/* What is known of this memory counts no longer: it is given to a new owner. */
void darn_order_forget(uintptr_t start, uint64_t size);

/* These sites are about to go. */
void darn_order_unload(const struct darn_site *start, const struct darn_site *stop);

void darn_order_after_fork(void);

#endif
