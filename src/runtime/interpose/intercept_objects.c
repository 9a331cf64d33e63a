/* The beginning and the end of what threads synchronize with. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <threads.h>

#include "runtime/heal/gates.h"
#include "runtime/interpose/intercept.h"
#include "runtime/interpose/message.h"
#include "runtime/interpose/used.h"
#include "runtime/order/barriers.h"
#include "runtime/order/elsewhere.h"
#include "runtime/order/ordering.h"
#include "runtime/os/glibc.h"
#include "runtime/record/record_ends.h"
#include "runtime/thread/misuse.h"

#define FRAME __builtin_frame_address(0)

/* The end of an object is a write of it. Not if other processes may use it, too: what orders these
 * nobody sees. */
#define ENDS(is_shared, address, object)                                                           \
    do {                                                                                           \
        if (darn_ended_is_wanted() && !(is_shared))                                                \
            darn_ended_object(darn_thread_self(), (uintptr_t)(address), sizeof(*(address)),        \
                              object, FRAME);                                                      \
    } while (0)

DARN_INTERCEPT(int, pthread_mutex_init, pthread_mutex_t *mutex,
               const pthread_mutexattr_t *attributes)
{
    darn_misuse_init_mutex(darn_thread_self(), mutex, FRAME);
    return DARN_REAL(pthread_mutex_init)(mutex, attributes);
}

DARN_INTERCEPT(int, mtx_init, mtx_t *mutex, int type)
{
    darn_misuse_init_mutex(darn_thread_self(), (pthread_mutex_t *)mutex, FRAME);
    return DARN_REAL(mtx_init)(mutex, type);
}

DARN_INTERCEPT(int, pthread_mutex_destroy, pthread_mutex_t *mutex)
{
    darn_gate_end(mutex, FRAME);
    darn_misuse_destroy_mutex(darn_thread_self(), mutex, FRAME);
    ENDS(darn_mutex_is_shared(mutex), mutex, DARN_OBJECT_MUTEX);
    return DARN_REAL(pthread_mutex_destroy)(mutex);
}

DARN_INTERCEPT(void, mtx_destroy, mtx_t *mutex)
{
    darn_gate_end(mutex, FRAME);
    darn_misuse_destroy_mutex(darn_thread_self(), (pthread_mutex_t *)mutex, FRAME);
    ENDS(false, mutex, DARN_OBJECT_MUTEX);
    DARN_REAL(mtx_destroy)(mutex);
}

DARN_INTERCEPT(int, pthread_rwlock_destroy, pthread_rwlock_t *lock)
{
    darn_gate_end(lock, FRAME);
    darn_misuse_destroy_rwlock(darn_thread_self(), lock, FRAME);
    ENDS(darn_rwlock_is_shared(lock), lock, DARN_OBJECT_RWLOCK);
    return DARN_REAL(pthread_rwlock_destroy)(lock);
}

DARN_INTERCEPT(int, pthread_cond_destroy, pthread_cond_t *cond)
{
    darn_gate_end(cond, FRAME);
    darn_misuse_destroy_cond(darn_thread_self(), cond, FRAME);
    ENDS(darn_cond_is_shared(cond), cond, DARN_OBJECT_COND);
    return DARN_REAL(pthread_cond_destroy)(cond);
}

DARN_INTERCEPT(void, cnd_destroy, cnd_t *cond)
{
    darn_gate_end(cond, FRAME);
    darn_misuse_destroy_cond(darn_thread_self(), (pthread_cond_t *)cond, FRAME);
    ENDS(false, cond, DARN_OBJECT_COND);
    DARN_REAL(cnd_destroy)(cond);
}

DARN_INTERCEPT(int, pthread_barrier_destroy, pthread_barrier_t *barrier)
{
    darn_gate_end(barrier, FRAME);
    darn_misuse_destroy_barrier(darn_thread_self(), barrier, FRAME);
    ENDS(darn_barrier_is_shared(barrier), barrier, DARN_OBJECT_BARRIER);
    darn_barrier_destroy((uintptr_t)barrier);
    return DARN_REAL(pthread_barrier_destroy)(barrier);
}

DARN_INTERCEPT(int, pthread_spin_destroy, pthread_spinlock_t *lock)
{
    darn_gate_end(lock, FRAME);
    ENDS(false, lock, DARN_OBJECT_SPIN);
    return DARN_REAL(pthread_spin_destroy)(lock);
}

DARN_INTERCEPT(int, sem_destroy, sem_t *semaphore)
{
    darn_gate_end(semaphore, FRAME);
    ENDS(darn_semaphore_is_shared(semaphore), semaphore, DARN_OBJECT_SEMAPHORE);
    return DARN_REAL(sem_destroy)(semaphore);
}

/* Whoever opens one may come after who has made it; other processes may have it, too. */
DARN_INTERCEPT(sem_t *, sem_open, const char *name, int flags, ...)
{
    struct darn_thread *thread = darn_ordering ? darn_thread_peek() : NULL;
    va_list arguments;
    sem_t *semaphore;
    unsigned value;
    mode_t mode;

    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    value = va_arg(arguments, unsigned);
    va_end(arguments);
    darn_message_opens(true, FRAME);
    semaphore = DARN_REAL(sem_open)(name, flags, mode, value);
    if (thread)
        darn_order_after_all(thread);
    if (semaphore == SEM_FAILED)
        return semaphore;
    if (flags & O_CREAT)
        darn_elsewhere_add_later((uintptr_t)semaphore, sizeof(*semaphore));
    else
        darn_elsewhere_add((uintptr_t)semaphore, sizeof(*semaphore));
    return semaphore;
}

/* The memory of one that has a name goes without a word. */
DARN_INTERCEPT(int, sem_close, sem_t *semaphore)
{
    darn_order_forget((uintptr_t)semaphore, sizeof(*semaphore));
    if (darn_recording)
        darn_record_free(semaphore, sizeof(*semaphore), false, NULL);
    return DARN_REAL(sem_close)(semaphore);
}
