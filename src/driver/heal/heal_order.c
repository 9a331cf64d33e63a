/*
 * Orders that are to be kept: of two operations under one lock, and of a life and its users.
 */
#include <string.h>

#include "driver/heal/signature.h"

/* ---- orders ---- */

/* The lock under which both came, as this one has taken it. */
static const struct darn_lock *common_lock(const struct darn_finding *finding, size_t number)
{
    const struct darn_finding_access *own = &finding->accesses[number];
    const struct darn_finding_access *other = &finding->accesses[!number];

    for (size_t i = 0; i < own->lock_count; i++)
        for (size_t j = 0; j < other->lock_count; j++)
            if (own->locks[i].address == other->locks[j].address)
                return &own->locks[i];
    return NULL;
}

/* What is set has to be there once; what is used, until nobody uses it any more. */
static enum darn_deadlock_until until_of(const struct darn_finding *finding)
{
    enum darn_op first = finding->accesses[0].op, second = finding->accesses[1].op;
    bool sets = first == DARN_OP_WRITE || first == DARN_OP_UPDATE;
    bool reads = second == DARN_OP_READ || second == DARN_OP_SIGNAL || second == DARN_OP_BROADCAST;

    return (sets || first == DARN_OP_WAIT) && reads ? DARN_UNTIL_DONE : DARN_UNTIL_GONE;
}

static bool is_one_stack(const struct darn_deadlock *deadlock)
{
    const struct darn_deadlock_stack *one = &deadlock->threads[0].holds;
    const struct darn_deadlock_stack *other = &deadlock->threads[1].holds;

    for (uint32_t i = 0; i < one->count && i < other->count; i++)
        if (one->frames[i].offset != other->frames[i].offset)
            return false;
    return true;
}

static int make_order(struct darn_signature *making, const struct darn_finding *finding)
{
    if (finding->access_count != 2)
        return darn_signature_refuse(making, "it is not about two operations");
    making->deadlock.locks = finding->variable;
    making->deadlock.until = until_of(finding);
    for (size_t i = 0; i < 2; i++) {
        struct darn_deadlock_stack *holds = &making->deadlock.threads[i].holds;
        const struct darn_lock *lock = common_lock(finding, i);

        making->deadlock.thread_count++;
        if (!lock)
            return darn_signature_refuse(making, "the two are under no lock in common: a gate keeps locks from "
                                  "being taken, nothing else");
        if (darn_signature_add_stack(making, holds, &lock->stack))
            return -1;
        if (!holds->count)
            return darn_signature_refuse(making, "the finding does not say where the lock was taken");
        if (darn_signature_describe(making, holds, DARN_BY_LOCK))
            return -1;
    }
    if (is_one_stack(&making->deadlock))
        return darn_signature_refuse(making, "the two take their lock by the same calls");
    return 0;
}

int darn_heal_order_from(const struct darn_finding *finding, struct darn_words *signatures,
                         struct darn_heal_why *why)
{
    return darn_signature_make(make_order, finding, NULL, signatures, why);
}

/* ---- lives ---- */

static bool is_same_text(const char *one, const char *other)
{
    return one && other && strcmp(one, other) == 0;
}

static int ender_of(const struct darn_finding *finding)
{
    for (size_t i = 0; i < finding->access_count && i < 2; i++)
        if (finding->accesses[i].op == DARN_OP_FREE)
            return (int)i;
    return -1;
}

static bool is_by_same(const struct darn_finding_access *one,
                       const struct darn_finding_access *other)
{
    return is_same_text(one->thread, other->thread) && is_same_text(one->function, other->function);
}

/* A race with a write by the function that then ends the memory, as another finding of the hunt
 * says: the write is a part of the end. */
static int ends_as(const struct darn_finding *finding, const struct darn_finding *end)
{
    int ender = ender_of(end);

    if (!darn_finding_is(end, "data-race") || ender < 0 || end->access_count != 2)
        return -1;
    for (int i = 0; i < 2; i++)
        if (finding->accesses[i].op != DARN_OP_READ &&
            is_by_same(&finding->accesses[i], &end->accesses[ender]) &&
            is_by_same(&finding->accesses[!i], &end->accesses[!ender]))
            return i;
    return -1;
}

/* A read and a write, and whichever came first, the run failed: neither may the reader wait for the
 * write, nor is it enough that one read was made. So the write has to wait until the reader is gone. */
static int fails_both_ways(const struct darn_finding *finding)
{
    bool writes = finding->accesses[0].op != DARN_OP_READ;

    if (writes == (finding->accesses[1].op != DARN_OP_READ))
        return -1;
    for (int first = 0; first < 2; first++)
        if (finding->well[first] || finding->badly[first] < DARN_HEAL_CLEAR)
            return -1;
    return !writes;
}

int darn_heal_ender(const struct darn_finding *finding, struct darn_finding *const *others,
                    size_t count)
{
    int ender = finding->access_count == 2 ? ender_of(finding) : -1;

    for (size_t i = 0; i < count && ender < 0 && finding->access_count == 2; i++)
        ender = ends_as(finding, others[i]);
    if (ender < 0 && finding->access_count == 2 && darn_finding_is(finding, "data-race"))
        ender = fails_both_ways(finding);
    return ender;
}

/* Before the first lock that it takes for it: who holds one cannot wait for threads that need it.
 * Without a lock before the call itself. */
static int add_end(struct darn_signature *making, const struct darn_finding_access *end)
{
    struct darn_deadlock_thread *thread = &making->deadlock.threads[1];
    const struct darn_finding_stack *stack = &end->stack;

    thread->by = DARN_BY_END;
    if (end->lock_count) {
        thread->by = DARN_BY_LOCK;
        stack = &end->locks[0].stack;
    } else if (end->op != DARN_OP_FREE) {
        return darn_signature_refuse(making, "the access that is a part of the end is under no "
                                             "lock that could be waited before");
    }
    if (darn_signature_add_stack(making, &thread->holds, stack))
        return -1;
    if (!thread->holds.count)
        return darn_signature_refuse(making, "the finding does not say where the end was called");
    return darn_signature_describe(making, &thread->holds, thread->by);
}

static int add_start(struct darn_signature *making, const struct darn_finding *finding,
                     const struct darn_finding_access *user)
{
    struct darn_deadlock_thread *thread = &making->deadlock.threads[0];
    const struct darn_finding_party *party = darn_finding_thread(finding, user->thread);

    thread->by = DARN_BY_START;
    if (!party || !party->stack.count)
        return darn_signature_refuse(making, "where the thread was started that uses it is not "
                                             "known: the main thread has no end to wait for");
    if (darn_signature_add_stack(making, &thread->holds, &party->stack))
        return -1;
    if (!thread->holds.count)
        return darn_signature_refuse(making, "where the thread was started is not known");
    return darn_signature_describe(making, &thread->holds, DARN_BY_START);
}

static int make_life(struct darn_signature *making, const struct darn_finding *finding)
{
    int ender = *(const int *)making->context;

    making->deadlock.locks = finding->variable;
    making->deadlock.until = DARN_UNTIL_GONE;
    making->deadlock.thread_count = 2;
    if (add_start(making, finding, &finding->accesses[!ender]))
        return -1;
    return add_end(making, &finding->accesses[ender]);
}

int darn_heal_life_from(const struct darn_finding *finding, int ender,
                        struct darn_words *signatures, struct darn_heal_why *why)
{
    return darn_signature_make(make_life, finding, &ender, signatures, why);
}
