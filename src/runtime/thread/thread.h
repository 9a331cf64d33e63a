/* What the runtime knows about each thread of the program. */
#ifndef DARN_RUNTIME_THREAD_H
#define DARN_RUNTIME_THREAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/spin/spins.h"
#include "runtime/thread/locks.h"
#include "runtime/thread/own.h"
#include "runtime/thread/stack.h"
#include "runtime/thread/waits.h"

struct darn_heat;
struct darn_healer;
struct darn_thread_order;
struct darn_slot;
struct darn_stream;

/* Accesses, the n-th of a thread at n % DARN_RECENT: which pointer it has just read. */
#define DARN_RECENT 8
struct darn_recent {
    uintptr_t address;
    uint64_t size;
};

struct darn_thread {
    uint32_t number; /* T0 is the main thread, then in the order of creation */
    int tid;
    uint32_t parent;
    bool has_parent;
    bool is_alive;     /* the record is in use */
    bool blocked;      /* inside a call that waits */
    uint32_t ignore;   /* depth of DARN_IGNORE regions */
    uint32_t round;    /* the last invitation that this thread has seen (sampler.c), */
    uint32_t declined; /* how many accesses it has made since without taking it up, */
    uint32_t patience; /* and how many of them it waits for something better */
    uint64_t random;   /* state of the generator that decides about windows and noise */
    uintptr_t stack_start, stack_end;
    size_t stack_size;         /* of one that libc chooses; 0: not known */
    uintptr_t top;             /* all frames of the program lie below; 0: not known */
    struct darn_stack created; /* where it was created */
    struct darn_locks locks;
    struct darn_load loads[DARN_LOADS]; /* Tian's load table (spins.c) */
    uint32_t next_load;
    volatile bool in_loads; /* a signal handler that comes now leaves `loads` alone */
    bool met_spin;          /* it is about to store to what another may spin on */
    bool spinning;          /* one of them may be watched */
    struct darn_heat *heat; /* how often it has come by its sites */
    _Atomic uint64_t seen;  /* accesses that have come to a hook (heat.c: of armed sites), */
    struct darn_recent recent[DARN_RECENT]; /* and the last ones */
    _Atomic uint64_t inside; /* the sections that it is in (inside.h), one bit each */
    uint32_t scope_depth;    /* calls of functions that are annotated as atomic, */
    const char *scope;       /* and the outermost, if it is watched in it */
    uint64_t scope_noise;
    struct darn_healer *healer;      /* what it holds while it is healed (hold.h), */
    struct darn_own *own;            /* the program's own locks that it holds meanwhile, */
    bool lingers;                    /* and that a part of it ends with its next call */
    uint32_t gates;                  /* how many positions of gates (gates.h) it has taken */
    uint64_t orders;                 /* of accesses, which know that it has made the first one */
    volatile bool in_gate;           /* a signal handler that comes now passes them all */
    struct darn_thread_order *order; /* what orders it (ordering.h), if has_order; else memory */
    bool has_order;
    bool has_clock;                    /* and that has a clock */
    const void *closing;               /* the frame of the call of fclose that it is in, or NULL */
    uint32_t near_wait, near_gap;      /* locks until coverage looks who is near (covering.c), */
    bool is_noted_inside;              /* whether it has said that it is inside, */
    bool was_blocked;                  /* and that it had to wait for the lock it is taking */
    struct darn_slot *slot;            /* of a controlled run (turn.h); NULL: there is none */
    struct darn_stream *stream;        /* of the trace; NULL: nothing is recorded */
    const struct darn_site *wait_site; /* of the wait that comes next */
    struct darn_wait wait;             /* what it waits for now */
    uintptr_t waits_with;              /* the mutex that it gave back for that, */
    uint64_t wait_signals;             /* and how often the condition was signalled (misuse.h) */
    unsigned long id;                  /* pthread_t */
    uint64_t mask;                     /* signals that it blocks once it is known */
    union {                            /* what it runs, and with which argument */
        void *(*pthread)(void *);
        int (*c11)(void *);
    } start;
    void *argument;
    struct darn_thread *next; /* in the list of unused ones */
};

/* The record of the calling thread: NULL before it is known, DARN_THREAD_ENDED after its end. */
extern __thread struct darn_thread *darn_thread_record __attribute__((tls_model("initial-exec")));

#define DARN_THREAD_ENDED ((struct darn_thread *)1)

/* Makes the calling thread known, if it may be. */
struct darn_thread *darn_thread_attach(void);

/* The calling thread; makes it known at its first call. NULL when there is no memory, and in a
 * thread that has ended already. Inline: every lock and unlock of the program asks for it. */
static inline struct darn_thread *darn_thread_self(void)
{
    struct darn_thread *thread = darn_thread_record;

    if (__builtin_expect((uintptr_t)thread > (uintptr_t)DARN_THREAD_ENDED, 1))
        return thread;
    return thread ? NULL : darn_thread_attach();
}

/* The calling thread if it is known, without making it so. */
static inline struct darn_thread *darn_thread_peek(void)
{
    return darn_thread_record == DARN_THREAD_ENDED ? NULL : darn_thread_record;
}

/* The record of a thread that is about to be created; the new thread calls darn_thread_start. */
struct darn_thread *darn_thread_new(void);
void darn_thread_start(struct darn_thread *thread);
void darn_thread_drop(struct darn_thread *thread); /* it could not be created */
void darn_thread_end(void);

/* Around a call that may wait for others: such a thread cannot run into a window. */
void darn_thread_block(struct darn_thread *thread);
void darn_thread_unblock(struct darn_thread *thread);

/* Threads that are alive, and those of them that are not blocked. */
uint32_t darn_threads_alive(void);
int32_t darn_threads_running(void);

/* How many there were since the start of the process, and how many accesses of all of them were
 * seen. */
uint32_t darn_threads_count(void);
uint64_t darn_threads_seen(void);

/* Forgets the threads that have ended by the exit system call, without a word to libc. One thread
 * calls it, now and then. */
void darn_threads_reap(void);

/* The next of those who are known and alive, beginning with index 0; NULL: no more. They may end
 * meanwhile. */
struct darn_thread *darn_threads_next(uint32_t *index);

/* Fills in all of them; returns how many. */
uint32_t darn_threads_list(struct darn_thread **list, uint32_t most);

/* Whether nothing is there yet, but the main thread's stack grows when somebody touches it. */
bool darn_threads_may_grow_to(uintptr_t address);

/* The word that holds the number of threads alive: the sampler sleeps on it. */
const volatile uint32_t *darn_threads_word(void);

/* Around fork: nobody is changing the list of threads; in the child the calling thread is alone. */
void darn_threads_before_fork(void);
void darn_threads_after_fork(bool child);

#endif
