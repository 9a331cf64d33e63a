/*
 * The sampler: a thread of our own that raises attention for short times, as often as the budget
 * allows, and invites the program's threads to open windows.
 *
 * It is made by clone and not by pthread_create, and runs on system calls alone: libc does not know
 * of it, so the program's last thread can still end the process, and nothing of libc's thread data
 * is touched.
 */
#ifndef DARN_RUNTIME_SAMPLER_H
#define DARN_RUNTIME_SAMPLER_H

#include <stdbool.h>

#include "runtime/thread/thread.h"
#include "runtime/watch/touch.h"

/* Starts it unless it runs; called when a second thread is made, or one that is alone may wait for
 * itself. It ends when neither is so any more: a program of one thread may do what one of two
 * cannot (unshare), and must not be kept alive by us when its last thread has gone. */
void darn_sampler_start(void);

/* Ends it, if the program has one thread, and returns when it is gone. Whether it was there. */
bool darn_sampler_stop(void);

/* Between the two it is not there. It begins anew with the rights of the thread that releases it.
 */
void darn_sampler_hold(void);
void darn_sampler_release(void);

/* Whether the thread should take up the invitation with this access: sites that were seldom watched
 * come first, and memory on the thread's own stack last. */
bool darn_sampler_prefers(struct darn_thread *thread, const struct darn_touch *touch,
                          const void *frame);

/* From now on this site is preferred: it may be one half of a race. */
void darn_sampler_aim(const struct darn_site *site);

/* The same for anything else that was watched so many times before. */
bool darn_sampler_is_worth(struct darn_thread *thread, uint32_t times);

/* How long a window of the sampler stays open, in nanoseconds. */
uint64_t darn_sampler_window(void);

/* In the child of fork there is no sampler. */
void darn_sampler_after_fork(void);

#endif
