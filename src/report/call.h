/*
 * What the source says at a call, where nothing else does: the lock of
 * `pthread_mutex_lock(&queue->lock)`, the function of `pthread_create(&thread, NULL, worker,
 * NULL)`.
 */
#ifndef DARN_REPORT_CALL_H
#define DARN_REPORT_CALL_H

#include "report/finding.h"

/* The argument with this number, from 0 on, of the call at the place, if that is of a function
 * whose name begins so. NULL when it cannot be seen. */
const char *darn_call_argument(struct darn_text_pool *pool, const struct darn_frame *at,
                               const char *beginning, unsigned number);

/* `queue->lock`: what the call at the place is about, if that takes a lock, synchronizes or frees:
 * of C functions the first argument; of `std::lock_guard guard(queue->lock)` and
 * `queue->lock.lock()` the mutex. NULL when that cannot be seen. */
const char *darn_call_object(struct darn_text_pool *pool, const struct darn_frame *at);

/* `OutMutex`: what a function that only takes the lock that it is given was called with, where
 * `name` is that parameter of frames[0]; else `name` itself. Frames go from the inside out. */
const char *darn_call_outside(struct darn_text_pool *pool, const struct darn_frame *frames,
                              size_t count, const char *name);

#endif
