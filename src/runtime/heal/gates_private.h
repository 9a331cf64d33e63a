/* What the files of the gates share. */
#ifndef DARN_RUNTIME_GATES_PRIVATE_H
#define DARN_RUNTIME_GATES_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/thread/thread.h"
#include "section/deadlock.h"

#define DARN_GATES          64 /* a bit each */
#define DARN_GATE_OCCUPANTS 64 /* of each; more are counted, and pass unseen */
#define DARN_GATE_PATIENCE  10
#define DARN_GATE_WHY       160
#define DARN_GATE_STEPS     2000 /* of a search for the last position; then the thread passes */

/* A thread that holds, or is about to take, a lock with the stack of a position. */
struct darn_occupant {
    struct darn_thread *thread;
    uintptr_t lock;
    uint32_t positions; /* that its stack fits, one bit each */
    bool away;          /* the lock is given back for a while: it waits for a condition variable */
    bool is_through;    /* THROUGH: it is at its second position, and gone with its lock */
    bool in_vain;       /* of an order: somebody has waited for its end, and it did not come */
};

struct darn_gate_position {
    uint32_t depth;
    uintptr_t pcs[DARN_DEADLOCK_DEPTH];
};

struct darn_gate {
    uint32_t line; /* of the signature in the repository */
    uint64_t identity; /* a hash of what it says, wherever that stands in the file */
    bool matched, moved;
    enum darn_deadlock_until
        until; /* it is about an order: of two positions, the first is to come first */
    bool by_access; /* an order of two accesses (cures.h), which has no stacks */
    bool by_start; /* the first position is where threads are started */
    bool done; /* its first position: the lock was taken there and given back, or just taken (GONE)
                */
    bool is_other_build;     /* it does not match, but a module of that name is there */
    bool dropped;            /* its waits were useless */
    char why[DARN_GATE_WHY]; /* it does not match */
    uint32_t count;
    struct darn_gate_position positions[DARN_DEADLOCK_THREADS];
    volatile uint32_t changes; /* a futex: somebody has left */
    uint32_t waiting;
    uint32_t patience; /* a wait lasts so many bounds at most */
    uint32_t hungry;   /* of those, who have waited for long: others let them go first */
    uint32_t occupant_count;
    struct darn_occupant occupants[DARN_GATE_OCCUPANTS];
    /* What became of it. */
    uint64_t passed;          /* times that a thread came by, */
    uint64_t avoided;         /* and that one had to wait: */
    uint64_t right;           /* the circle would have closed meanwhile; */
    uint64_t useless;         /* nobody wanted the lock; */
    uint64_t expired;         /* the bound was reached; */
    uint64_t cycles;          /* all occupants waited for the thread itself */
    uint64_t unseen;          /* too many occupants */
    uint64_t used;            /* what ended, somebody may still use */
    uint64_t waited, longest; /* nanoseconds */
};

/* Who wants what: a lock that the thread asks for, and the gates that it has to pass. */
struct darn_asking {
    struct darn_thread *thread;
    uintptr_t lock;
    uint64_t gates; /* one bit each */
    uint32_t positions[DARN_GATES];
};

/* The gates of this process; belong to gates.c, filled by gates_open.c. */
extern struct darn_gate *darn_gates;
extern uint32_t darn_gate_count;

/* The lock of all of them, taken in the name of a thread. */
void darn_gates_take(struct darn_thread *thread);
void darn_gates_give(void);

/* Takes away what the thread occupies with this lock; with 0, all. With the lock of the gates. */
void darn_gates_vacate(struct darn_thread *thread, uintptr_t lock);

/* The gates with positions that this stack fits, or that of the interceptor that has the frame. */
bool darn_gates_find(struct darn_asking *asking, const struct darn_stack *stack);
bool darn_gates_find_at(struct darn_asking *asking, const void *frame);

/* Waits until all of them are open, and occupies its positions. */
void darn_gates_pass(struct darn_asking *asking, const void *frame);

/* Somebody has left. With the lock of the gates. */
void darn_gate_open(struct darn_gate *gate);

/* Of an order the first position alone is occupied: until the lock is given back, or, by whoever
 * may use the same again, until the thread has ended. Those do not count as `gates` of the thread,
 * for which it would look at each lock that it gives back. */
void darn_gate_occupy_order(struct darn_gate *gate, const struct darn_asking *asking,
                            uint32_t positions);

/* Those who are at it now were waited for in vain: nobody waits for them again. */
void darn_gate_give_up(struct darn_gate *gate);

/* Whether it is about the same object: of a thread that was started nobody knows what it uses. */
static inline bool darn_gate_may_use(const struct darn_occupant *occupant,
                                     const struct darn_thread *but, uintptr_t object)
{
    return occupant->thread != but && (!occupant->lock || occupant->lock == object);
}

/* Whether who gives its lock back stays where it is: it has been at the first position of a THROUGH,
 * and not at the second yet. */
static inline bool darn_gate_goes_on(const struct darn_gate *gate,
                                     const struct darn_occupant *occupant)
{
    return gate->until == DARN_UNTIL_THROUGH && occupant->positions & 1 && !occupant->is_through;
}

/* Whether somebody may still use what the thread is about to end. */
bool darn_gate_is_used(const struct darn_asking *asking);

/* Who stands at a gate. Without one, for there are too many, a wait is not known to be right, and
 * nobody wakes the thread before its slice is over: all of these take NULL. */
struct darn_gate_waiter {
    struct darn_thread *thread; /* NULL: unused */
    struct darn_gate *gate;
    uintptr_t lock;
    bool right;                 /* the circle would have closed */
    bool is_waiting, is_hungry; /* and counts as such at the gate */
};

/* How many there are: read without the lock, changed with it, as all of the following. */
extern volatile uint32_t darn_gate_waiters;

struct darn_gate_waiter *darn_gate_waiter_add(struct darn_thread *thread, struct darn_gate *gate,
                                              uintptr_t lock);
void darn_gate_waiter_drop(struct darn_gate_waiter *waiter, const struct darn_thread *thread);

/* Around the time without the lock. The waiter may be gone afterwards: a signal handler of the
 * thread has jumped. */
void darn_gate_waiter_pause(struct darn_gate_waiter *waiter, struct darn_gate *gate,
                            bool is_hungry);
void darn_gate_waiter_resume(struct darn_gate_waiter *waiter, const struct darn_thread *thread);

/* An occupant asks for this lock: those at its gates who want the very same wait rightly. Had they
 * gone on, they would be on the way into the circle. */
void darn_gate_waiters_tell(const struct darn_thread *thread, uintptr_t lock);

/* Forgets those of the thread; NULL: all. */
void darn_gate_waiters_forget(const struct darn_thread *thread);

/* Whether one of the occupants has the lock already: a thread that wants it would have to wait
 * without a gate, too. */
bool darn_gate_holds(const struct darn_gate *gate, uintptr_t lock);

/* Whether the gate is shut for it: with its lock the circle could have all its threads. */
bool darn_gate_is_shut(const struct darn_gate *gate, const struct darn_thread *thread,
                       uintptr_t lock, uint32_t positions);

/* The positions that this stack fits, one bit each. */
uint32_t darn_gate_fits(const struct darn_gate *gate, const uintptr_t *pcs, uint32_t depth);

/* Whether all who could open the gate wait for this thread, directly or through others. */
bool darn_gate_is_vain(const struct darn_gate *gate, struct darn_thread *thread);

/* The gate that a controlled thread waits at, or NULL. */
const struct darn_gate *darn_gate_of(const struct darn_thread *thread);

#endif
