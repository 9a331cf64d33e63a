/*
 * Synchronization made by hand, as the programs of SPLASH-2 have it: a test-and-test-and-set lock,
 * a ticket lock and a sense-reversing barrier. What is waited for is declared with VAR: nothing but
 * volatile says that it is shared.
 */
#ifndef DARN_BENCH_PROGRAMS_BYHAND_H
#define DARN_BENCH_PROGRAMS_BYHAND_H

#include <sched.h>

#ifndef VAR
#define VAR volatile
#endif

/* Keeps the accesses before it before those after it: x86 does so for all but a store and a later
 * load, which nothing here needs, if only the compiler does. */
#if defined(__x86_64__) || defined(__i386__)
#define ORDER() __asm__ volatile("" ::: "memory")
#define PAUSE() __builtin_ia32_pause()
#else
#define ORDER() __sync_synchronize()
#define PAUSE() ORDER()
#endif

/* What a loop does that waits: there may be more threads than processors. */
static inline void hand_wait(void)
{
    for (int i = 0; i < 50; i++)
        PAUSE();
    sched_yield();
    ORDER();
}

struct hand_lock {
    VAR int taken;
};

static inline void hand_lock(struct hand_lock *lock)
{
    while (__atomic_exchange_n((int *)&lock->taken, 1, __ATOMIC_SEQ_CST)) {
        while (lock->taken) /* spin: LOCK_WAIT */
            hand_wait();
    }
    ORDER();
}

static inline void hand_unlock(struct hand_lock *lock)
{
    ORDER();
    lock->taken = 0; /* spin: LOCK_GIVE */
}

struct hand_ticket {
    VAR unsigned next, serving;
};

static inline void hand_ticket_lock(struct hand_ticket *lock)
{
    unsigned mine = __atomic_fetch_add((unsigned *)&lock->next, 1, __ATOMIC_SEQ_CST);

    while (lock->serving != mine) /* spin: TICKET_WAIT */
        hand_wait();
    ORDER();
}

static inline void hand_ticket_unlock(struct hand_ticket *lock)
{
    ORDER();
    lock->serving = lock->serving + 1; /* spin: TICKET_NEXT */
}

struct hand_barrier {
    int threads;
    VAR int missing, sense;
};

/* Each thread keeps a `sense` of its own, 0 at first. */
static inline void hand_barrier(struct hand_barrier *barrier, int *sense)
{
    *sense = !*sense;
    ORDER();
    if (__atomic_sub_fetch((int *)&barrier->missing, 1, __ATOMIC_SEQ_CST) == 0) {
        barrier->missing = barrier->threads;
        ORDER();
        barrier->sense = *sense; /* spin: BARRIER_TURN */
    }
    while (barrier->sense != *sense) /* spin: BARRIER_WAIT */
        hand_wait();
    ORDER();
}

#endif
