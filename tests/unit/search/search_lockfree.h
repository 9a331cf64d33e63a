/*
 * Lock-free structures with a bug, for search_simulator.h.
 */
#ifndef DARN_TESTS_SEARCH_LOCKFREE_H
#define DARN_TESTS_SEARCH_LOCKFREE_H

#include "search_simulator.h"

/* Vyukov's stack of free cells: three threads, three cells; a cell that is taken belongs to its
 * thread alone. Wrong only after five preemptions or more. */
enum { STACK_HEAD = 1, STACK_COUNT, STACK_NEXT = 8, STACK_VALUE = 16 };
enum { CELL, HEAD, NEXT, DONE, ROUND };

static inline void stack_worker(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    for (t->v[ROUND] = 0; t->v[ROUND] < 2; t->v[ROUND]++) {
        /* pop */
        for (;;) {
            LOAD(t->v[CELL], STACK_COUNT);
            if (t->v[CELL] <= 1) {
                YIELD;
                continue;
            }
            LOAD(t->v[HEAD], STACK_HEAD);
            EXCHANGE(t->v[NEXT], STACK_NEXT + t->v[HEAD], -1);
            if (t->v[NEXT] < 0) {
                YIELD;
                continue;
            }
            SWAP(t->v[DONE], STACK_HEAD, t->v[HEAD], t->v[NEXT]);
            if (t->v[DONE])
                break;
            EXCHANGE(t->v[DONE], STACK_NEXT + t->v[HEAD], t->v[NEXT]);
        }
        t->v[CELL] = t->v[HEAD];
        ADD(STACK_COUNT, -1);
        /* the cell is its own now */
        STORE(STACK_VALUE + t->v[CELL], t->who);
        LOAD(t->v[DONE], STACK_VALUE + t->v[CELL]);
        ASSERT(t->v[DONE] == t->who);
        /* push */
        LOAD(t->v[HEAD], STACK_HEAD);
        for (;;) {
            STORE(STACK_NEXT + t->v[CELL], t->v[HEAD]);
            SWAP(t->v[DONE], STACK_HEAD, t->v[HEAD], t->v[CELL]);
            if (t->v[DONE])
                break;
            t->v[HEAD] = s->m[STACK_HEAD];
        }
        ADD(STACK_COUNT, 1);
    }
    END;
}

static inline void safestack(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    s->m[STACK_COUNT] = s->size;
    s->m[STACK_HEAD] = 0;
    for (t->v[0] = 0; t->v[0] < s->size; t->v[0]++)
        s->m[STACK_NEXT + t->v[0]] = t->v[0] + 1 < s->size ? t->v[0] + 1 : -1;
    for (t->v[0] = 0; t->v[0] < s->size; t->v[0]++)
        START(stack_worker, t->v[0] + 1);
    for (t->v[0] = 1; t->v[0] <= s->size; t->v[0]++)
        JOIN(t->v[0]);
    END;
}

/* A stack of cells, popped by compare-and-swap of the head: wrong when the head has left and come
 * back meanwhile (ABA). */
enum { ABA_HEAD = 1, ABA_NEXT = 8, ABA_USED = 24 };

static inline void aba_worker(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    for (t->v[ROUND] = 0; t->v[ROUND] < s->size; t->v[ROUND]++) {
        for (;;) {
            LOAD(t->v[HEAD], ABA_HEAD);
            if (t->v[HEAD] == 0)
                goto out;
            LOAD(t->v[NEXT], ABA_NEXT + t->v[HEAD]);
            SWAP(t->v[DONE], ABA_HEAD, t->v[HEAD], t->v[NEXT]);
            if (t->v[DONE])
                break;
        }
        t->v[CELL] = t->v[HEAD];
        EXCHANGE(t->v[DONE], ABA_USED + t->v[CELL], 1);
        ASSERT(t->v[DONE] == 0);
        if (t->who == 1)
            continue; /* keeps it */
        if (t->v[ROUND] == 1)
            t->v[CELL] = t->v[5]; /* gives back the first one and keeps the second */
        t->v[5] = t->v[CELL];
        if (t->v[ROUND] == 0)
            continue;
        STORE(ABA_USED + t->v[CELL], 0);
        do {
            LOAD(t->v[HEAD], ABA_HEAD);
            STORE(ABA_NEXT + t->v[CELL], t->v[HEAD]);
            SWAP(t->v[DONE], ABA_HEAD, t->v[HEAD], t->v[CELL]);
        } while (!t->v[DONE]);
    }
out:
    END;
}

static inline void aba(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    s->m[ABA_HEAD] = 1;
    s->m[ABA_NEXT + 1] = 2;
    s->m[ABA_NEXT + 2] = 3;
    START(aba_worker, 1);
    START(aba_worker, 2);
    JOIN(1);
    JOIN(2);
    END;
}

/* A queue whose owner takes from the tail and whose thief takes from the head; the owner looks at
 * the head before it has announced its claim. */
enum { QUEUE_HEAD = 1, QUEUE_TAIL, QUEUE_LOCK, QUEUE_TAKEN = 8 };

static inline void queue_owner(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    for (t->v[ROUND] = 0; t->v[ROUND] < s->size; t->v[ROUND]++) {
        LOAD(t->v[0], QUEUE_TAIL);
        LOAD(t->v[1], QUEUE_HEAD);
        if (t->v[1] >= t->v[0])
            goto out;
        STORE(QUEUE_TAIL, t->v[0] - 1);
        EXCHANGE(t->v[2], QUEUE_TAKEN + t->v[0] - 1, 1);
        ASSERT(t->v[2] == 0);
    }
out:
    END;
}

static inline void queue_thief(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    for (t->v[ROUND] = 0; t->v[ROUND] < s->size; t->v[ROUND]++) {
        LOCK(QUEUE_LOCK);
        LOAD(t->v[0], QUEUE_HEAD);
        STORE(QUEUE_HEAD, t->v[0] + 1);
        LOAD(t->v[1], QUEUE_TAIL);
        if (t->v[0] < t->v[1]) {
            EXCHANGE(t->v[2], QUEUE_TAKEN + t->v[0], 1);
            ASSERT(t->v[2] == 0);
        } else {
            STORE(QUEUE_HEAD, t->v[0]);
        }
        UNLOCK(QUEUE_LOCK);
    }
    END;
}

static inline void worksteal(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    s->m[QUEUE_TAIL] = s->size;
    START(queue_owner, 0);
    START(queue_thief, 0);
    JOIN(1);
    JOIN(2);
    END;
}

/* Started before what it needs is there; the main thread is quick enough, as a rule. */
static inline void late_user(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    LOAD(t->v[0], 1);
    ASSERT(t->v[0] == 1);
    END;
}

static inline void late_init(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    START(late_user, 0);
    STORE(1, 1);
    JOIN(1);
    END;
}

/* A buffer of one cell with one condition variable for both sides, and signals that wake only one:
 * size producers, size consumers. */
enum { CELL_FULL = 1, CELL_LOCK, CELL_COND };

static inline void cell_side(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    for (t->v[ROUND] = 0; t->v[ROUND] < 2; t->v[ROUND]++) {
        LOCK(CELL_LOCK);
        for (;;) {
            LOAD(t->v[0], CELL_FULL);
            if (t->v[0] != t->who)
                break;
            WAIT(CELL_COND, CELL_LOCK);
            RELOCK(CELL_LOCK);
        }
        STORE(CELL_FULL, t->who);
        SIGNAL(CELL_COND);
        UNLOCK(CELL_LOCK);
    }
    END;
}

static inline void one_cell(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    for (t->v[0] = 0; t->v[0] < 2 * s->size; t->v[0]++)
        START(cell_side, t->v[0] % 2);
    for (t->v[0] = 1; t->v[0] <= 2 * s->size; t->v[0]++)
        JOIN(t->v[0]);
    END;
}

#endif
