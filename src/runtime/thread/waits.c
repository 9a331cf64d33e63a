#include "runtime/thread/waits.h"

#include "runtime/heal/heal_closed.h"
#include "runtime/thread/thread.h"
#include "runtime/watch/sampler.h"

/* Read by others without a lock: what a wait is comes before that it is one, and `version` tells
 * two waits apart. Whoever sees a part of the new one sees that the old one has ended. */
void darn_wait_begin(struct darn_thread *thread, enum darn_wait_kind kind,
                     const volatile void *target, const void *frame)
{
    if (!thread)
        return;
    darn_heal_blocks(thread);
    __atomic_store_n(&thread->wait.target, (uintptr_t)target, __ATOMIC_RELEASE);
    __atomic_store_n(&thread->wait.frame, frame, __ATOMIC_RELEASE);
    __atomic_store_n(&thread->wait.version, thread->wait.version + 1, __ATOMIC_RELEASE);
    __atomic_store_n(&thread->wait.kind, (uint32_t)kind, __ATOMIC_RELEASE);
    darn_thread_block(thread);
    if (kind == DARN_WAIT_MUTEX && thread->locks.count)
        darn_sampler_start(); /* it may be alone, and wait for itself */
}

/* Whoever reads the one target with the version of the other one finds another version at its next
 * look. */
void darn_wait_redirect(struct darn_thread *thread, const volatile void *target)
{
    if (thread->wait.target == (uintptr_t)target)
        return;
    __atomic_store_n(&thread->wait.version, thread->wait.version + 1, __ATOMIC_RELEASE);
    __atomic_store_n(&thread->wait.target, (uintptr_t)target, __ATOMIC_RELEASE);
    __atomic_store_n(&thread->wait.version, thread->wait.version + 1, __ATOMIC_SEQ_CST);
}

void darn_wait_end(struct darn_thread *thread)
{
    if (!thread)
        return;
    __atomic_store_n(&thread->wait.kind, DARN_WAIT_NONE, __ATOMIC_RELEASE);
    __atomic_store_n(&thread->wait.version, thread->wait.version + 1, __ATOMIC_RELEASE);
    darn_thread_unblock(thread);
}

void darn_wait_return(struct darn_thread *thread, const struct darn_wait *before)
{
    darn_wait_end(thread);
    if (before->kind != DARN_WAIT_NONE)
        darn_wait_begin(thread, before->kind, (const volatile void *)before->target, before->frame);
}
