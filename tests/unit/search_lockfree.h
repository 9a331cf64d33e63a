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

static void stack_worker(struct sim *s, struct sim_thread *t)
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

static void safestack(struct sim *s, struct sim_thread *t)
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

#endif
