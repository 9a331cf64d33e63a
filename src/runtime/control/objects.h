/*
 * What controlled threads wait for and what they touch: locks, condition variables, barriers, and
 * the variables of armed sites. Found by address. Used by the thread that has the turn alone.
 *
 * `holder` and `depth` are the lock's side, by which the scheduler knows who is not enabled. The
 * lists of held locks (thread/locks.h) could not tell: they keep a mutex that a wait has given
 * back, end after so many, and know nothing of who is in a pthread_once. And while a list says what
 * a thread has taken, this is corrected by libc's own words (darn_step_lock_is_free).
 */
#ifndef DARN_RUNTIME_OBJECTS_H
#define DARN_RUNTIME_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

struct darn_object {
    uint64_t address;
    uint32_t next;    /* in its chain; an index + 1 */
    uint32_t holder;  /* of a lock: number of the thread + 1; 0: free, as far as we know */
    uint32_t depth;   /* how often it has it, or how many readers there are */
    uint32_t version; /* changes when somebody who waits may try again */
    uint32_t limit;   /* of a barrier */
    uint32_t arrived;
    uint64_t writer;  /* the place of the last step that changed it */
    uint64_t changed; /* hash of that step, for the partial order */
    uint64_t seen;    /* sum of the hashes of the steps that only looked at it since */
};

/* Makes it if it is not there. Never NULL: when there is no memory all share one. */
struct darn_object *darn_object(const volatile void *address);

#endif
