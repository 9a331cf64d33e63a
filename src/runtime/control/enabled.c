#define _GNU_SOURCE
#include "runtime/control/enabled.h"

#include <pthread.h>
#include <semaphore.h>
#include <string.h>

#include "runtime/control/control.h"
#include "runtime/control/livelock.h"
#include "runtime/control/vtime.h"
#include "runtime/os/glibc.h"

/* A lock that prefers writers, and one of them waits: no reader gets it any more. */
static bool is_kept_for_writer(const struct darn_slot *slot)
{
    const pthread_rwlock_t *lock = (const void *)(uintptr_t)slot->object;

    if (!darn_rwlock_prefers_writers(lock) || !slot->target->depth)
        return false;
    for (uint32_t i = 0; i < darn_slot_end; i++) {
        if (darn_slots[i].state == DARN_STATE_READY && darn_slots[i].op == DARN_STEP_WRITELOCK &&
            darn_slots[i].object == slot->object)
            return true;
    }
    return false;
}

static bool lock_is_enabled(const struct darn_slot *slot)
{
    const struct darn_object *object = slot->target;

    if (slot->tried && slot->version == object->version)
        return false;
    if (slot->op == DARN_STEP_WRITELOCK && !object->holder && object->depth)
        return false; /* readers */
    if (slot->op == DARN_STEP_READLOCK && is_kept_for_writer(slot))
        return false;
    return !object->holder || object->holder == slot->number + 1;
}

static uint64_t load(uintptr_t address, uint32_t size)
{
    uint64_t value = 0;

    memcpy(&value, (const void *)address, size);
    return value;
}

static bool spin_has_changed(const struct darn_slot *slot)
{
    for (uint32_t i = 0; i < slot->spin_count; i++) {
        const struct darn_spin_read *read = &slot->spins[i];

        if (load(read->address, read->size) != read->value)
            return true;
    }
    return false;
}

static bool semaphore_is_up(const struct darn_slot *slot)
{
    int value = 0;

    return sem_getvalue((sem_t *)(uintptr_t)slot->object, &value) || value > 0;
}

static bool lets_cancel(enum darn_step_op op)
{
    return op == DARN_STEP_WAIT || op == DARN_STEP_JOIN || op == DARN_STEP_TAKE ||
           op == DARN_STEP_SLEEP || op == DARN_STEP_CALL;
}

/* Whether what it waits for has come. */
bool darn_step_has_come(const struct darn_slot *slot)
{
    switch (slot->op) {
    case DARN_STEP_LOCK:
    case DARN_STEP_RELOCK:
    case DARN_STEP_WRITELOCK:
    case DARN_STEP_READLOCK:
    case DARN_STEP_ONCE:
        return lock_is_enabled(slot);
    case DARN_STEP_WAIT:
    case DARN_STEP_BARRIER:
        return !slot->order || slot->signaled; /* order: it has begun to wait */
    case DARN_STEP_TAKE:
        return semaphore_is_up(slot);
    case DARN_STEP_JOIN:
        return !darn_turn_slot_of((uint32_t)slot->object);
    case DARN_STEP_CALL:
        return !slot->ready || slot->ready(slot->argument);
    case DARN_STEP_SPIN:
        return darn_fair || spin_has_changed(slot);
    default:
        return true;
    }
}

static bool is_out_of_time(const struct darn_slot *slot)
{
    return slot->timed &&
           (slot->deadline <= darn_vtime_now() || darn_control_wants(DARN_RUN_EARLY) || darn_fair);
}

bool darn_step_is_enabled(const struct darn_slot *slot)
{
    return (slot->cancelled && lets_cancel(slot->op)) || slot->interrupted || is_out_of_time(slot) ||
           darn_step_has_come(slot);
}

/* libc's own words say that a lock is free which we believe to be held: it was given back by code
 * that nobody sees, or destroyed and made anew. Looked at before anything is called a deadlock. */
bool darn_step_lock_is_free(const struct darn_slot *slot)
{
    const void *lock = (const void *)(uintptr_t)slot->object;

    switch (slot->op) {
    case DARN_STEP_LOCK:
    case DARN_STEP_RELOCK:
        if (slot->size == sizeof(pthread_mutex_t))
            return !darn_mutex_holder(lock);
        return slot->size == sizeof(pthread_spinlock_t) && darn_spinlock_is_free(lock);
    case DARN_STEP_WRITELOCK:
    case DARN_STEP_READLOCK:
        return darn_rwlock_is_free(lock);
    default:
        return false;
    }
}
