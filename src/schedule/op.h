/*
 * What a thread is about to do at a scheduling point.
 */
#ifndef DARN_SCHEDULE_OP_H
#define DARN_SCHEDULE_OP_H

#include <stdbool.h>
#include <stdint.h>

enum darn_step_op {
    DARN_STEP_NONE,
    DARN_STEP_START, /* of the thread itself */
    DARN_STEP_READ,  /* an armed site: from here on up to UPDATE the place is a site record */
    DARN_STEP_WRITE,
    DARN_STEP_UPDATE,  /* an atomic read-modify-write */
    DARN_STEP_FREE,    /* of the block that begins at the object; from here on the place is the
                          return address of the call */
    DARN_STEP_DESTROY, /* of what threads synchronize with */
    DARN_STEP_CLOSE,   /* of a stream or a file descriptor */
    DARN_STEP_USE,     /* of such, by a call that does not wait */
    DARN_STEP_LOCK,
    DARN_STEP_TRYLOCK,
    DARN_STEP_UNLOCK,
    DARN_STEP_READLOCK,
    DARN_STEP_WRITELOCK,
    DARN_STEP_RWUNLOCK,
    DARN_STEP_WAIT,   /* for a condition variable: gives the mutex back */
    DARN_STEP_RELOCK, /* takes the mutex again after it; the object is the mutex */
    DARN_STEP_SIGNAL,
    DARN_STEP_BROADCAST,
    DARN_STEP_WAKE, /* not of the thread that runs: it is chosen to be woken by a signal */
    DARN_STEP_TAKE, /* a semaphore */
    DARN_STEP_POST,
    DARN_STEP_BARRIER,
    DARN_STEP_ONCE,
    DARN_STEP_CREATE,
    DARN_STEP_JOIN,
    DARN_STEP_DETACH,
    DARN_STEP_CANCEL,
    DARN_STEP_EXIT,   /* the end of the thread */
    DARN_STEP_FINISH, /* the end of the process: main returns (place 0), exit and relatives */
    DARN_STEP_YIELD,
    DARN_STEP_SLEEP,
    DARN_STEP_CALL, /* a system call that may wait for the outside */
    DARN_STEP_SPIN, /* the read of a spin that has seen no change: waits for one */
    DARN_STEP_OPS,
};

/* "lock", "write", …: as in a schedule file. NULL when there is none. */
const char *darn_step_op_name(enum darn_step_op op);

/* The other way round; DARN_STEP_NONE when there is none. */
enum darn_step_op darn_step_op_of(const char *name, unsigned long length);

/* Whether it is an access to memory: its place is a site record, its object an address. */
static inline bool darn_step_is_access(enum darn_step_op op)
{
    return op >= DARN_STEP_READ && op <= DARN_STEP_UPDATE;
}

/* Whether its object is the number of a thread, and no address. */
static inline bool darn_step_names_thread(enum darn_step_op op)
{
    return op == DARN_STEP_JOIN || op == DARN_STEP_CANCEL;
}

/* Whether what it is about is no more after it. */
static inline bool darn_step_ends(enum darn_step_op op)
{
    return op >= DARN_STEP_FREE && op <= DARN_STEP_CLOSE;
}

/* Whether it takes the value of memory, and whether it leaves another one, or none. */
static inline bool darn_step_reads(enum darn_step_op op)
{
    return op == DARN_STEP_READ || op == DARN_STEP_UPDATE || op == DARN_STEP_SPIN;
}

static inline bool darn_step_writes(enum darn_step_op op)
{
    return op == DARN_STEP_WRITE || op == DARN_STEP_UPDATE || darn_step_ends(op);
}

/* Whether it is a call that uses what threads synchronize with: its object. */
static inline bool darn_step_is_sync(enum darn_step_op op)
{
    return op >= DARN_STEP_LOCK && op <= DARN_STEP_ONCE && op != DARN_STEP_WAKE;
}

/* Two steps on the same object commute unless one of them changes it. */
static inline bool darn_step_changes(enum darn_step_op op)
{
    return op != DARN_STEP_READ && op != DARN_STEP_USE && op != DARN_STEP_SPIN &&
           op != DARN_STEP_JOIN;
}

/* Whether the step depends on the state of its object: it has a reads-from edge. */
static inline bool darn_step_observes(enum darn_step_op op)
{
    return darn_step_reads(op) || (op >= DARN_STEP_LOCK && op <= DARN_STEP_TRYLOCK) ||
           op == DARN_STEP_READLOCK || op == DARN_STEP_WRITELOCK || op == DARN_STEP_RELOCK ||
           op == DARN_STEP_TAKE;
}

#endif
