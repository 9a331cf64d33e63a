/*
 * Small programs with a bug that only some schedules show, for search_simulator.h: the well-known
 * shapes of concurrency bugs. The failure is an assertion or a deadlock.
 */
#ifndef DARN_TESTS_SEARCH_PROGRAMS_H
#define DARN_TESTS_SEARCH_PROGRAMS_H

#include "search_simulator.h"

enum { A = 1, B, C, D, E, F, G, H, CELLS = 16 };

/* size - 1 setters, one checker that must see all or nothing of a setter's work. */
static inline void reorder_set(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    STORE(A, 1);
    STORE(B, -1);
    END;
}

static inline void reorder_check(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    LOAD(t->v[0], A);
    LOAD(t->v[1], B);
    ASSERT((t->v[0] == 0 && t->v[1] == 0) || (t->v[0] == 1 && t->v[1] == -1));
    END;
}

static inline void reorder(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    for (t->v[0] = 1; t->v[0] < s->size; t->v[0]++)
        START(reorder_set, 0);
    START(reorder_check, 0);
    for (t->v[0] = 1; t->v[0] <= s->size; t->v[0]++)
        JOIN(t->v[0]);
    END;
}

/* Two critical sections that belong together; one reader looks between them. */
static inline void twostage_write(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    LOCK(C);
    STORE(A, 1);
    UNLOCK(C);
    LOCK(D);
    LOAD(t->v[0], A);
    STORE(B, t->v[0] + 1);
    UNLOCK(D);
    END;
}

static inline void twostage_read(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    LOCK(C);
    LOAD(t->v[0], A);
    if (t->v[0] == 0) {
        UNLOCK(C);
        goto out;
    }
    LOAD(t->v[0], A);
    UNLOCK(C);
    LOCK(D);
    LOAD(t->v[1], B);
    UNLOCK(D);
    ASSERT(t->v[1] == t->v[0] + 1);
out:
    END;
}

static inline void twostage(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    for (t->v[0] = 1; t->v[0] < s->size; t->v[0]++)
        START(twostage_write, 0);
    START(twostage_read, 0);
    for (t->v[0] = 1; t->v[0] <= s->size; t->v[0]++)
        JOIN(t->v[0]);
    END;
}

/* size philosophers; each takes the fork at its left first. */
static inline void philosopher(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    LOCK(CELLS + t->who);
    LOCK(CELLS + (t->who + 1) % s->size);
    ADD(A, 1);
    UNLOCK(CELLS + (t->who + 1) % s->size);
    UNLOCK(CELLS + t->who);
    END;
}

static inline void philosophers(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    for (t->v[0] = 0; t->v[0] < s->size; t->v[0]++)
        START(philosopher, t->v[0]);
    for (t->v[0] = 1; t->v[0] <= s->size; t->v[0]++)
        JOIN(t->v[0]);
    END;
}

/* size threads increment a counter in two steps. */
static inline void increment(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    LOAD(t->v[0], A);
    STORE(A, t->v[0] + 1);
    END;
}

static inline void counter(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    for (t->v[0] = 0; t->v[0] < s->size; t->v[0]++)
        START(increment, 0);
    for (t->v[0] = 1; t->v[0] <= s->size; t->v[0]++)
        JOIN(t->v[0]);
    LOAD(t->v[1], A);
    ASSERT(t->v[1] == s->size);
    END;
}

/* The same with a lock that is given back in between. */
static inline void stale_add(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    LOCK(B);
    LOAD(t->v[0], A);
    UNLOCK(B);
    LOCK(B);
    STORE(A, t->v[0] + 1);
    UNLOCK(B);
    END;
}

static inline void stale(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    for (t->v[0] = 0; t->v[0] < s->size; t->v[0]++)
        START(stale_add, 0);
    for (t->v[0] = 1; t->v[0] <= s->size; t->v[0]++)
        JOIN(t->v[0]);
    LOAD(t->v[1], A);
    ASSERT(t->v[1] == s->size);
    END;
}

/* One writer under the wrong lock among size readers that rely on the other one. */
static inline void wronglock_write(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    LOCK(B);
    LOAD(t->v[0], A);
    STORE(A, t->v[0] + 1);
    LOAD(t->v[1], A);
    ASSERT(t->v[1] == t->v[0] + 1);
    UNLOCK(B);
    END;
}

static inline void wronglock_other(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    LOCK(C);
    LOAD(t->v[0], A);
    STORE(A, t->v[0] + 1);
    UNLOCK(C);
    END;
}

static inline void wronglock(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    START(wronglock_write, 0);
    for (t->v[0] = 0; t->v[0] < s->size; t->v[0]++)
        START(wronglock_other, 0);
    for (t->v[0] = 1; t->v[0] <= s->size + 1; t->v[0]++)
        JOIN(t->v[0]);
    END;
}

/* The stop of a driver: A stopping, B requests + 1, C stopped. */
static inline void bluetooth_stop(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    STORE(A, 1);
    ADD(B, -1);
    if (s->m[B] == 0)
        POST(D);
    TAKE(D);
    STORE(C, 1);
    END;
}

static inline void bluetooth_add(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    LOAD(t->v[0], A);
    if (t->v[0])
        goto out;
    ADD(B, 1);
    LOAD(t->v[0], C);
    ASSERT(!t->v[0]);
    ADD(B, -1);
    if (s->m[B] == 0)
        POST(D);
out:
    END;
}

static inline void bluetooth(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    s->m[B] = 1;
    START(bluetooth_stop, 0);
    for (t->v[0] = 0; t->v[0] < s->size; t->v[0]++)
        START(bluetooth_add, 0);
    for (t->v[0] = 1; t->v[0] <= s->size + 1; t->v[0]++)
        JOIN(t->v[0]);
    END;
}

/* A waiter that looks at the flag before it takes the lock. */
static inline void lost_waiter(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    LOAD(t->v[0], A);
    if (t->v[0])
        goto out;
    LOCK(B);
    WAIT(C, B);
    RELOCK(B);
    UNLOCK(B);
out:
    END;
}

static inline void lost_waker(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    STORE(A, 1);
    LOCK(B);
    SIGNAL(C);
    UNLOCK(B);
    END;
}

static inline void lost_wakeup(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    START(lost_waiter, 0);
    START(lost_waker, 0);
    JOIN(1);
    JOIN(2);
    END;
}

/* A pointer that is freed and set to 0 by its owner while the user checks it and goes on. */
static inline void freed_user(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    for (t->v[1] = 0; t->v[1] < s->size; t->v[1]++) {
        LOAD(t->v[0], A);
        if (t->v[0]) {
            LOAD(t->v[0], B);
            ASSERT(t->v[0] == 0);
        }
    }
    END;
}

static inline void freed_owner(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    for (t->v[1] = 0; t->v[1] < s->size; t->v[1]++)
        ADD(C, 1);
    STORE(A, 0);
    STORE(B, 1);
    END;
}

static inline void freed(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    s->m[A] = 1;
    START(freed_user, 0);
    START(freed_owner, 0);
    JOIN(1);
    JOIN(2);
    END;
}

/* Four threads around a ring, each makes its value from that of the one before. */
static inline void ring_step(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    LOCK(H);
    LOAD(t->v[0], CELLS + (t->who + 3) % 4);
    STORE(CELLS + t->who, (t->v[0] + 1) % 4);
    UNLOCK(H);
    END;
}

static inline void ring_check(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    LOCK(H);
    for (t->v[0] = 0; t->v[0] < 4; t->v[0]++)
        LOAD(t->v[1 + t->v[0]], CELLS + t->v[0]);
    UNLOCK(H);
    for (t->v[0] = 0; t->v[0] < 4; t->v[0]++) {
        if (t->v[1 + t->v[0]] == 0)
            goto out;
    }
    ASSERT(!s->size);
out:
    END;
}

static inline void ring(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    for (t->v[0] = 3; t->v[0] >= 0; t->v[0]--)
        START(ring_step, t->v[0]);
    START(ring_check, 0);
    for (t->v[0] = 1; t->v[0] <= 5; t->v[0]++)
        JOIN(t->v[0]);
    END;
}

/* size rounds of a buffer whose `full` test and use are two critical sections. */
static inline void buffer_put(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    for (t->v[1] = 0; t->v[1] < s->size; t->v[1]++) {
        LOCK(H);
        LOAD(t->v[0], A);
        UNLOCK(H);
        if (t->v[0] >= 2)
            continue;
        LOCK(H);
        LOAD(t->v[0], A);
        ASSERT(t->v[0] < 2);
        STORE(CELLS + t->v[0], 1);
        STORE(A, t->v[0] + 1);
        UNLOCK(H);
    }
    END;
}

static inline void buffer(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    s->m[A] = 1;
    START(buffer_put, 0);
    START(buffer_put, 0);
    JOIN(1);
    JOIN(2);
    END;
}

/* Conversation: each side must act just between two steps of the other, `size` times. */
static inline void needle_one(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    for (t->v[1] = 0; t->v[1] < s->size; t->v[1]++) {
        STORE(A, 2 * t->v[1] + 1);
        STORE(A, 0);
        LOAD(t->v[0], B);
        if (t->v[0] != 2 * t->v[1] + 1)
            goto out;
    }
    ASSERT(!s->size);
out:
    END;
}

static inline void needle_two(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    for (t->v[1] = 0; t->v[1] < s->size; t->v[1]++) {
        LOAD(t->v[0], A);
        if (t->v[0] != 2 * t->v[1] + 1)
            goto out;
        STORE(B, 2 * t->v[1] + 1);
        STORE(B, 0);
    }
out:
    END;
}

static inline void needle(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    START(needle_one, 0);
    START(needle_two, 0);
    JOIN(1);
    JOIN(2);
    END;
}

#endif
