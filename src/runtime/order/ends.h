/*
 * The end of memory and of objects is a write of all of it: whoever uses it in another thread must
 * have done so before, and something must say so. An end is remembered as accesses are, until the
 * memory is given to a new owner: a use that comes after it, and that nothing orders, is found as
 * well.
 */
#ifndef DARN_RUNTIME_ENDS_H
#define DARN_RUNTIME_ENDS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/order/ordering.h"
#include "runtime/order/outside.h"
#include "runtime/watch/spending.h"

/* A library may have reasons of its own to end something, and order that nobody sees. */
static inline bool darn_end_is_ours(const void *frame)
{
    return darn_outside_is_ours(((const uintptr_t *)frame)[1]);
}

/* A stack that the program has given to the thread is memory of the program's, and main's stays. */
static inline bool darn_end_takes_stack(const struct darn_thread *thread)
{
    return thread->number && thread->stack_size && !thread->ignore;
}

/* A block is about to be given back. `stays`: libc keeps it, and who uses it then does not crash;
 * its next owner is known by darn_order_forget. `frame` is that of the interceptor, here and below.
 */
void darn_order_free(struct darn_thread *thread, uintptr_t start, uint64_t size, bool stays,
                     const void *frame);

/* The thread is about to end, and its stack with it. */
void darn_order_end_stack(struct darn_thread *thread);

/* A call uses an object, which is known by an address. */
void darn_order_use_object(struct darn_thread *thread, uintptr_t address,
                           enum darn_touch_object object, const void *frame);

static inline void darn_order_use(struct darn_thread *thread, uintptr_t address,
                                  enum darn_touch_object object, const void *frame)
{
    if (__builtin_expect(darn_clocks_kept && darn_remembering, 0) && thread)
        darn_order_use_object(thread, address, object, frame);
}

/* What stands for a file descriptor as it is now: so many bytes with a life of their own, at no
 * address of the program. And for its number, while it is none. */
#define DARN_ORDER_FILE 16
uintptr_t darn_order_file(int fd);
uintptr_t darn_order_closed_file(int fd);

/* A file descriptor ends; and the number is a new one's. */
void darn_order_close(struct darn_thread *thread, int fd, const void *frame);
void darn_order_opened(int fd);

/* There is another process, which may pass on what it is told: from then on, whoever is told
 * something from outside comes after all that anybody did. */
void darn_order_process(void);
bool darn_order_has_process(void);
void darn_order_told_by_process(void);

/* A call ends it. */
void darn_order_end_object(struct darn_thread *thread, uintptr_t address, uint64_t size,
                           enum darn_touch_object object, const void *frame);

#endif
