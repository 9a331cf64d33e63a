/*
 * Controlled runs: one thread at a time has the turn, and at each scheduling point a strategy
 * (src/schedule) says who goes on. A scheduling point comes before every synchronization call, at
 * the start and the end of a thread, and before each access of an armed site.
 *
 * Whoever has the turn owns everything here; it is passed on by futex. Only threads that come back
 * from the outside (a system call) and the watchdog meet the owner unasked: they go through
 * `holder`, an atomic word.
 *
 * The program's own mutexes, semaphores and so on are really taken, by calls that do not wait: what
 * is blocked is known here (objects.h), the rest of their state is libc's. Condition variables and
 * barriers are played by us alone.
 */
#ifndef DARN_RUNTIME_TURN_H
#define DARN_RUNTIME_TURN_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/control/objects.h"
#include "runtime/thread/thread.h"
#include "runtime/watch/touch.h"
#include "schedule/op.h"

/* The spin reads of one way around a loop. */
#define DARN_SPIN_READS 8

struct darn_spin_read {
    const struct darn_site *site;
    uintptr_t address;
    uint64_t value;
    uint32_t size, count;
};

struct darn_slot {
    struct darn_thread *thread;
    uint32_t number; /* of the thread */
    uint32_t index;
    volatile uint32_t go;   /* a futex: the turn is here */
    volatile uint8_t state; /* enum darn_thread_state (block.h) */
    bool inside;            /* in our own code: calls of a signal handler are not controlled */
    /* What it is about to do. */
    uint8_t op; /* enum darn_step_op */
    bool atomic, is_volatile;
    bool is_assertion; /* of darn.h: no access */
    bool yielded;
    bool received;  /* a message, since its last step */
    bool signaled;  /* WAIT: somebody has woken it */
    bool cancelled; /* somebody wants it to end, and its step lets that happen */
    uint8_t interrupts;        /* enum darn_turn_interrupts: what a handler does to its wait, */
    volatile bool interrupted; /* and whether one has run since it began */
    bool timed, timed_out;
    uint32_t patience; /* FINISH: for so many steps of others it gives way */
    bool tried; /* the lock was not free; `version` is that of the object then */
    uint32_t version;
    uint32_t own; /* steps made */
    uint32_t size;
    uint64_t object, place, mutex;
    uint64_t used; /* by the call: a stream or a file descriptor, or what it ends; 0: `object` */
    uint8_t what;  /* that is: enum darn_touch_object */
    const struct darn_site *site;
    const void *frame;
    uint64_t deadline; /* with `timed`, or of a sleep: virtual time */
    uint64_t slept_at; /* the place of its last sleep */
    uint64_t order;    /* of those who wait for the same: the first one is the smallest */
    struct darn_object *target;
    bool (*ready)(void *argument); /* CALL: whether it would not wait */
    void *argument;
    uint64_t hash; /* of its last step, for the partial order */
    struct darn_spin_read spins[DARN_SPIN_READS];
    uint32_t spin_count;
    bool spinning;
    int tid;
    bool hooked;            /* in a hook: it must not be interrupted */
    bool forced;            /* it was interrupted, and stands there (busy.h), */
    volatile bool give_way; /* or is to be */
    uint64_t forced_at;     /* after so many steps of all */
    bool is_watched;   /* when it asks the world, that is known, */
    uint64_t standing; /* a hash of its stack and registers at its step (livelock.h) */
};

/* Whether this is a controlled run. */
extern bool darn_turns;

/* The calling thread's slot if it is controlled and not inside of our own code; else NULL. */
static inline struct darn_slot *darn_turn_mine(const struct darn_thread *thread)
{
    struct darn_slot *slot = __builtin_expect(darn_turns, 0) && thread ? thread->slot : NULL;

    return slot && !slot->inside ? slot : NULL;
}

/* The calling thread has got a message. */
static inline void darn_turn_receive(void)
{
    struct darn_slot *slot = darn_turn_mine(darn_thread_peek());

    if (slot)
        slot->received = true;
}

/* The run begins, in the main thread, which gets the first turn. */
void darn_turn_begin(void);

/* A thread is about to be created: it can be chosen from now on. False: too many. */
bool darn_turn_add(struct darn_thread *thread);
void darn_turn_drop(struct darn_thread *thread);    /* it could not be created */
void darn_turn_start(struct darn_thread *thread);   /* in the new thread: waits for its turn */
void darn_turn_started(struct darn_thread *thread); /* our own beginnings are over */

/* The end of the calling thread: a scheduling point; then, when nothing more is to be done for it,
 * the turn goes to others for good. */
struct darn_slot *darn_turn_end(struct darn_thread *thread);
void darn_turn_gone(struct darn_slot *slot);

/* The calling thread is about to end the process: a scheduling point, if it is controlled. */
void darn_turn_finish(const void *frame);

/* A scheduling point: fill in the step by darn_turn_step, more fields if needed, then wait for the
 * turn. Returns when it is ours and the step is enabled (or timed out, or cancelled). */
void darn_turn_step(struct darn_slot *slot, enum darn_step_op op, const volatile void *object,
                    const void *frame);
void darn_turn_take(struct darn_slot *slot);

/* The step that was just taken turned out not to be enabled: waits until the object changes. */
void darn_turn_again(struct darn_slot *slot);

/* The object has changed: those who wait for it may try again. */
void darn_turn_changed(struct darn_object *object);

/* Lets others go on while the thread is in a call that may wait for the outside. */
void darn_turn_leave(struct darn_slot *slot);
void darn_turn_return(struct darn_slot *slot);

/* The thread jumps to the stack pointer `to`, perhaps out of a handler that has come while it
 * waited for its turn: the step is given up, and the turn is waited for all the same. */
void darn_turn_jump(struct darn_slot *slot, uintptr_t to, const void *frame);

/* The program handles signals: one may wake a thread that nothing else would. */
void darn_turn_expect_signals(void);

/* What becomes of a call that waits when a handler has run: it waits on, or fails with EINTR, where
 * some do so only if the handler was not installed with SA_RESTART. */
enum darn_turn_interrupts {
    DARN_WAITS_ON,
    DARN_MAY_RESTART,
    DARN_INTERRUPTED,
};

/* In the thread that has run a handler of the program, at its end. */
void darn_turn_handled(bool restarts);

/* The id of the thread that has the turn; 0: none has. */
int darn_turn_holder(void);

/* Whether another thread is alive. */
bool darn_turn_has_others(void);

/* Whether a thread has ended whose end nobody has waited for: what it has done is not ordered
 * before what others do now. */
bool darn_turn_has_unjoined(void);
void darn_turn_joined(void); /* somebody has */

/* An access of an armed site, or a free. */
void darn_turn_access(struct darn_thread *thread, const struct darn_touch *touch,
                      const void *frame);

/* What the step uses or ends, if that is no memory of the program's own; else 0. Who waits for a
 * condition variable or at a barrier has used it before: it may be gone when the thread is woken.
 */
static inline uint64_t darn_turn_used(const struct darn_slot *slot)
{
    bool waits = slot->op == DARN_STEP_WAIT || slot->op == DARN_STEP_BARRIER;

    if (slot->used || !darn_step_is_sync(slot->op) || (waits && slot->order))
        return slot->used;
    return slot->object;
}

/* Calls that use or end an object of libc or the kernel, and do not wait: steps if the program
 * itself calls, while other threads are alive. */
void darn_turn_use(struct darn_slot *slot, uintptr_t address, enum darn_touch_object what,
                   const void *frame);
void darn_turn_end_object(struct darn_slot *slot, uintptr_t address, uint64_t size,
                          enum darn_touch_object what, const void *frame);

/* Whether what happens again and again at one place is a step this time; `times` is its count. */
bool darn_turn_counts(uint8_t *times);
/* Of the accesses that are thinned one in 2^n is a step by now: n, at most 16. */
uint32_t darn_turn_thinned(void);

/* A read that may be part of a spin: waits, if it is, until the value has changed. */
void darn_turn_spin(struct darn_thread *thread, uintptr_t address, const struct darn_site *site,
                    const void *frame);

/* Of those who wait for the condition variable, who is woken; NULL: nobody waits. */
struct darn_slot *darn_turn_choose_waiter(const struct darn_object *object);

/* The first of those who wait for the object and were not woken; NULL: there is none. */
struct darn_slot *darn_turn_first_waiter(const struct darn_object *object);

/* Wakes one of those who wait for a condition variable. */
void darn_turn_wake(struct darn_slot *waiter);

/* A number for those who begin to wait. */
uint64_t darn_turn_next_order(void);

/* The slot of the thread with this number, if it is alive. */
struct darn_slot *darn_turn_slot_of(uint32_t number);

/* Calls back with every slot that is in use. */
void darn_turn_each(void (*visit)(struct darn_slot *slot, void *argument), void *argument);

/* The run goes on uncontrolled in a child process. */
void darn_turn_after_fork(void);

#endif
