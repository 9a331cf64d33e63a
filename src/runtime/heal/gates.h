/*
 * Gates: a deadlock that is known does not happen again.
 *
 * A signature (section/deadlock.h) has a position for each thread of the circle: the call stack
 * with which it took the lock that it holds. A thread that is about to take a lock with such a
 * stack waits if all other positions are occupied by other threads, with other locks: then its lock
 * would be the last one that the circle needs. Otherwise it occupies the position, from before it
 * asks for the lock until it has given it back. So the circle never has all its threads, and cannot
 * close. (The idea is that of Dimmunix, Jula et al., OSDI 2008.)
 *
 * Nobody waits for ever: the wait ends when an occupant leaves, after some times the option
 * heal_bound, or at once when all who could leave wait for the thread itself (gates_cycle.c). A
 * gate whose waits turn out to be useless is dropped.
 *
 * What it costs: nothing but a test of one word where there are no signatures; where there are
 * some, a look at one byte for locks that are taken elsewhere.
 */
#ifndef DARN_RUNTIME_GATES_H
#define DARN_RUNTIME_GATES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/json.h"
#include "runtime/thread/thread.h"
#include "section/deadlock.h"

#define DARN_GATE_BITS  12
#define DARN_GATE_MARKS (1 << DARN_GATE_BITS)

/* Whether there are gates; and of the return addresses where locks are taken, by hash, whether one
 * may be the innermost frame of a position. */
extern bool darn_gates_on;
extern bool darn_gates_of_ends; /* some of them wait before the end of memory or of an object */
extern bool darn_gates_of_locks; /* and some where a lock is taken: who has which one is to be known */
extern uint8_t darn_gate_marks[DARN_GATE_MARKS];

static inline uint32_t darn_gate_mark(uintptr_t pc)
{
    return darn_spread_to(pc, DARN_GATE_BITS);
}

void darn_gate_ask(struct darn_thread *thread, const volatile void *lock, const void *frame);
void darn_gate_gone(struct darn_thread *thread, const volatile void *lock);
void darn_gate_away(struct darn_thread *thread, const volatile void *lock, bool away);

/* Before a lock is asked for; may wait. `frame` is that of the interceptor. */
static inline void darn_gate_enter(struct darn_thread *thread, const volatile void *lock,
                                   const void *frame)
{
    if (__builtin_expect(darn_gates_on, 0) && thread &&
        (thread->gates || darn_gate_marks[darn_gate_mark(((const uintptr_t *)frame)[1])]))
        darn_gate_ask(thread, lock, frame);
}

/* After it was given back, or could not be had. One that is still held (a recursive one) stays. */
static inline void darn_gate_leave(struct darn_thread *thread, const volatile void *lock)
{
    if (__builtin_expect(darn_gates_on, 0) && thread && thread->gates)
        darn_gate_gone(thread, lock);
}

/* Before memory or an object ends; may wait. Whether somebody may still use it all the same. */
bool darn_gate_ends(struct darn_thread *thread, const volatile void *object, const void *frame);

static inline bool darn_gate_end(const volatile void *object, const void *frame)
{
    struct darn_thread *thread;

    if (__builtin_expect(!darn_gates_on, 1) ||
        !darn_gate_marks[darn_gate_mark(((const uintptr_t *)frame)[1])])
        return false;
    thread = darn_thread_peek();
    return thread && darn_gate_ends(thread, object, frame);
}

/* ---- orders of accesses ---- */

struct darn_gate;

/* Makes one; NULL: there is no room. */
struct darn_gate *darn_gate_of_accesses(uint32_t line, enum darn_deadlock_until until);

/* Both of its accesses are in the program. */
void darn_gate_matches(struct darn_gate *gate);

/* Whether the first access was made; nothing changes that. */
bool darn_gate_is_done(const struct darn_gate *gate);

/* The thread is about to make the first access; the second one: may wait. */
void darn_gate_reach(struct darn_gate *gate, struct darn_thread *thread);
void darn_gate_come(struct darn_gate *gate, struct darn_thread *thread, const void *frame);

/* A thread is about to be started, or could not be. */
void darn_gate_born(struct darn_thread *creator, struct darn_thread *thread);
void darn_gate_unborn(struct darn_thread *creator, struct darn_thread *thread);

static inline void darn_gate_start(struct darn_thread *creator, struct darn_thread *thread)
{
    if (__builtin_expect(darn_gates_on, 0) &&
        darn_gate_marks[darn_gate_mark(thread->created.pcs[0])])
        darn_gate_born(creator, thread);
}

/* Around a wait for a condition variable, which gives the mutex back meanwhile. */
static inline void darn_gate_wait(struct darn_thread *thread, const volatile void *lock, bool away)
{
    if (__builtin_expect(darn_gates_on, 0) && thread && thread->gates)
        darn_gate_away(thread, lock, away);
}

/* Reads the signatures of a repository and finds their places in the modules that are loaded.
 * Returns how many there are, those that do not match as well; negative when there is no such file.
 */
int darn_gates_open(const char *path);

/* Reads them again: what is not there any more keeps nobody waiting, and what is new does from now
 * on. How many there are; `later` counts those for which the program has to be started again.
 * Negative: the file cannot be read, and nothing has changed. */
int darn_gates_reload(const char *path, uint32_t *later);

/* Of an order of two accesses: whether nobody waits for it any more. */
void darn_gate_drop(struct darn_gate *gate, bool drops);

/* Says which of them are from another build of what is loaded: one line each. */
void darn_gates_say(void);

/* Nanoseconds that threads have waited at gates. */
uint64_t darn_gates_waited(void);

/* Appends one line {"gate":{…}} for each. */
void darn_gates_write(struct darn_json *json);

/* A child has the calling thread alone, and counts anew. */
void darn_gates_after_fork(bool child);

/* The calling thread jumps, perhaps out of a signal handler that came while it stood at a gate. */
void darn_gates_jump(void);

/* The thread ends, and with it what it occupies. */
void darn_gates_thread_end(struct darn_thread *thread);

#endif
