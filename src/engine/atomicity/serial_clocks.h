/*
 * Which transaction of a run comes before which, as vector clocks (Mathur and Viswanathan,
 * "Atomicity Checking in Linear Time using Vector Clocks", ASPLOS 2020: AeroDrome). One comes
 * before another if a step of it came first in a conflict, or is of the same thread; and so on from
 * one to the next. A run is serializable when this has no cycle.
 *
 * A time of a slot is a transaction. What a thread knows of others is in its clock; who learns from
 * a transaction that is still open comes after all that it will yet learn. So its end is told to
 * all that know it: to threads at once, and, other than in the paper, to transactions that have
 * ended only when somebody asks for them. The paper goes through all variables and locks at each
 * end, or keeps sets of those that have to be gone through.
 *
 * So a transaction that has ended is a *node*: what it knew, and which open ones it knew. Nodes
 * live as long as a variable names them. A chain of nodes that nobody else names is made short now
 * and then: there are at most twice as many nodes as variables name, and some.
 */
#ifndef DARN_ENGINE_SERIAL_CLOCKS_H
#define DARN_ENGINE_SERIAL_CLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "engine/common/clock.h"
#include "engine/common/thread_slots.h"
#include "engine/common/threads.h"

struct darn_serial_thread {
    struct darn_stamp now; /* of its transaction, or of what it does outside of any */
    uint32_t number;
    uint32_t unit; /* where its transaction begins */
    uint32_t node; /* of now; 0: not made yet */
    bool is_open;  /* it is in a transaction */
    bool is_seen;  /* which somebody has learnt of */
    bool is_told;  /* and of which a violation was told */
    bool has_ended;
    size_t live; /* index among those that live */
};

enum {
    DARN_SERIAL_NEWS = 1,  /* not all of it was known */
    DARN_SERIAL_CYCLE = 2, /* what was learnt comes after the thread's own transaction */
};

struct darn_serial_clocks {
    /* A transaction has ended that the thread's own one comes before and after. */
    void (*on_cycle)(void *to, struct darn_serial_thread *thread, darn_epoch other);
    void *to;
    struct darn_clocks clocks;
    struct darn_slots slots;
    struct darn_threads numbers;
    struct darn_serial_thread **threads; /* by the index of its number */
    size_t thread_capacity;
    struct darn_serial_thread **live;
    size_t live_count, live_capacity;
    uint32_t seen; /* open transactions that somebody has learnt of */
    struct darn_pool nodes, links;
    size_t sweep_at; /* so many nodes */
    uint32_t *stack; /* of nodes */
    size_t stack_capacity;
    uint64_t exhausted; /* transactions without a time */
};

/* A zeroed struct with `on_cycle` and `to` set is opened by this. */
void darn_serial_open(struct darn_serial_clocks *serial);
void darn_serial_close(struct darn_serial_clocks *serial);

struct darn_serial_thread *darn_serial_thread(struct darn_serial_clocks *serial, uint32_t number);
void darn_serial_begin(struct darn_serial_clocks *serial, struct darn_serial_thread *thread,
                       uint32_t unit);
void darn_serial_end(struct darn_serial_clocks *serial, struct darn_serial_thread *thread);
void darn_serial_fork(struct darn_serial_clocks *serial, struct darn_serial_thread *parent,
                      uint32_t number);
/* The other thread's last epoch, 0 when nobody has met it. It ends, if it has not yet. */
darn_epoch darn_serial_join(struct darn_serial_clocks *serial, struct darn_serial_thread *thread,
                            uint32_t number);
void darn_serial_exit(struct darn_serial_clocks *serial, struct darn_serial_thread *thread);

/* The node of what the thread does now. Who keeps it holds it. */
uint32_t darn_serial_node(struct darn_serial_clocks *serial, struct darn_serial_thread *thread);
void darn_serial_hold(struct darn_serial_clocks *serial, uint32_t node);
void darn_serial_drop(struct darn_serial_clocks *serial, uint32_t node);

darn_epoch darn_serial_epoch(const struct darn_serial_clocks *serial, uint32_t node);

/* Whether the node may still become a part of a cycle: it is open, or knows one that is. As
 * darn_serial_learn has left it. */
bool darn_serial_matters(const struct darn_serial_clocks *serial, uint32_t node);

/* What the thread does from here on comes after the node. Outside of transactions news begin the
 * next time of the thread. */
unsigned darn_serial_learn(struct darn_serial_clocks *serial, struct darn_serial_thread *thread,
                           uint32_t node);

size_t darn_serial_memory(const struct darn_serial_clocks *serial);

#endif
