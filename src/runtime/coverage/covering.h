/*
 * Coverage of concurrency (src/trace/covered.h), told as it is first seen: coverage=FILE. Who sees
 * an access, a lock or a wait says so here; each of these is one look at a bool when nobody asks.
 *
 * Of accesses a table has the last one, and the last write, for 8 bytes of memory each. It knows of
 * those that come to a hook: in a run that is watched that is all of them at the beginning, and a
 * part afterwards; in a controlled run, those that are steps.
 */
#ifndef DARN_RUNTIME_COVERING_H
#define DARN_RUNTIME_COVERING_H

#include <stdbool.h>

#include "runtime/thread/thread.h"
#include "runtime/watch/touch.h"

extern bool darn_covering;

/* Begins if the options say so. 0, or an exit status after a message. */
int darn_coverage_open(void);

void darn_coverage_note_access(const struct darn_thread *thread, const struct darn_touch *touch);
void darn_coverage_note_lock(struct darn_thread *thread, const void *frame);
void darn_coverage_note_blocked(struct darn_thread *thread, const volatile void *lock,
                                const void *frame);
void darn_coverage_note_release(struct darn_thread *thread);
void darn_coverage_note_wake(bool timed_out, const void *frame);
void darn_coverage_note_missed(const void *frame);

/* The thread is about to make it. */
static inline void darn_coverage_access(const struct darn_thread *thread,
                                        const struct darn_touch *touch)
{
    if (__builtin_expect(darn_covering, 0))
        darn_coverage_note_access(thread, touch);
}

/* It has just got a lock; before that is in its list. */
static inline void darn_coverage_lock(struct darn_thread *thread, const void *frame)
{
    if (__builtin_expect(darn_covering, 0))
        darn_coverage_note_lock(thread, frame);
}

/* It is about to wait for one. */
static inline void darn_coverage_blocked(struct darn_thread *thread, const volatile void *lock,
                                         const void *frame)
{
    if (__builtin_expect(darn_covering, 0))
        darn_coverage_note_blocked(thread, lock, frame);
}

/* It is about to give one back. Nobody is noted inside when nobody asks for coverage. */
static inline void darn_coverage_release(struct darn_thread *thread)
{
    if (__builtin_expect(thread->is_noted_inside, 0))
        darn_coverage_note_release(thread);
}

/* A wait for a condition is over. */
static inline void darn_coverage_wake(bool timed_out, const void *frame)
{
    if (__builtin_expect(darn_covering, 0))
        darn_coverage_note_wake(timed_out, frame);
}

/* A condition is about to be signalled; nobody waits for it. */
static inline void darn_coverage_missed(const void *frame)
{
    if (__builtin_expect(darn_covering, 0))
        darn_coverage_note_missed(frame);
}

#endif
