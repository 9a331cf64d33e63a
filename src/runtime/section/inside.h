/* The table of threads that are watched inside sections: what sections.c and scopes.c share. */
#ifndef DARN_RUNTIME_INSIDE_H
#define DARN_RUNTIME_INSIDE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/os/os_spin.h"
#include "runtime/section/automaton.h"
#include "runtime/watch/watch.h"

#define DARN_INSIDES 64

/*
 * One thread in one section. All of it is the thread's own but what others add under the lock while
 * the bit of `darn_insides_visible` is set.
 */
struct darn_inside {
    struct darn_thread *thread;
    uint32_t owner;        /* its number */
    struct darn_stay stay; /* without a rule: an annotation */
    const char *function;  /* of an annotation: the one that it is in */
    bool expired;          /* it took too long: not watched any more */
    uint64_t noise;        /* nanoseconds that are left to be waited inside */
    uint64_t since;        /* when it began */
    uint64_t before;       /* value of the variable at the entry, if has_value */
    bool has_value;
    struct darn_side entry;
    struct darn_spin lock;        /* protects what follows; taken with signals blocked */
    _Atomic uint32_t ops;         /* of others: enum darn_section_allow; a futex */
    struct darn_side suspects[2]; /* the first that read, the first that wrote */
};

/* Bits: slots that are somebody's; those that others can run into. */
extern _Atomic uint64_t darn_insides_used, darn_insides_visible;

/* A slot for the thread, or NULL when all are taken. */
struct darn_inside *darn_inside_take(struct darn_thread *thread);

/* Accesses to the variable call from now on, and ways out. Also on the way to the entry, when there
 * is no variable yet. */
void darn_inside_show(struct darn_inside *inside);

/* The thread makes its first access, and others can run into it from now on. */
void darn_inside_enter(struct darn_inside *inside, const struct darn_touch *touch,
                       const struct darn_role *role, const void *frame);

/* The next access of the thread, which may end the section. */
void darn_inside_step(struct darn_inside *inside, const struct darn_touch *touch,
                      const struct darn_roles *roles, const void *frame);

/* The thread is not inside any more. */
void darn_inside_drop(struct darn_inside *inside);

/* Calls back for each slot of the calling thread; a callback may drop it. */
#define DARN_EACH_INSIDE(thread, inside)                                                           \
    for (uint64_t left_ = atomic_load_explicit(&(thread)->inside, memory_order_relaxed);           \
         left_ && ((inside) = darn_inside_at(left_), 1); left_ &= left_ - 1)

struct darn_inside *darn_inside_at(uint64_t bits);

/* Whether the thread may be watched from now on, in a section that was watched `tries` times
 * before; and how long it shall be held inside. */
bool darn_inside_is_wanted(struct darn_thread *thread, uint32_t tries, uint64_t *noise);

/* Scopes: the thread is in an annotated function, and may touch a variable that is new there. */
void darn_scopes_follow(struct darn_thread *thread, const struct darn_touch *touch,
                        const void *frame);
void darn_scopes_abandon(struct darn_thread *thread);
void darn_scopes_dropped(const struct darn_inside *inside);
void darn_scopes_after_fork(void);

#endif
