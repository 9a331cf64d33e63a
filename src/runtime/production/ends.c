/*
 * In programs that are built to be healed: what ends memory and objects. Others may still use them,
 * and are waited for (heal/gates.h); nothing else is done. Where no order asks for that, calls go
 * straight to the real functions.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <threads.h>
#include <unistd.h>

#include "runtime/heal/gates.h"
#include "runtime/heal/quarantine.h"
#include "runtime/interpose/intercept.h"

#define FRAME __builtin_frame_address(0)

/* dlsym may give memory back while it looks for the real free: that memory is lost. */
static __thread bool resolving __attribute__((tls_model("initial-exec")));

DARN_INTERCEPT_OFTEN_ALONE(void, free, void *block)
{
    if (!block || resolving)
        return;
    if (!real_free) {
        resolving = true;
        DARN_REAL(free);
        resolving = false;
    }
    if (!darn_gate_end(block, FRAME) || !darn_quarantine_block(block, real_free))
        real_free(block);
}

DARN_INTERCEPT_OFTEN_ALONE(int, munmap, void *block, size_t size)
{
    return darn_gate_end(block, FRAME) && darn_quarantine_pages(block, size, DARN_REAL(munmap))
               ? 0
               : DARN_REAL(munmap)(block, size);
}

#define ENDS(result, name, parameter, argument)                                                    \
    DARN_INTERCEPT_OFTEN(result, name, parameter)                                                  \
    {                                                                                              \
        darn_gate_end((const void *)(uintptr_t)argument, FRAME);                                   \
        return DARN_REAL(name)(argument);                                                          \
    }

ENDS(int, close, int fd, fd)
ENDS(int, fclose, FILE *stream, stream)
ENDS(int, pthread_mutex_destroy, pthread_mutex_t *mutex, mutex)
ENDS(void, mtx_destroy, mtx_t *mutex, mutex)
ENDS(int, pthread_rwlock_destroy, pthread_rwlock_t *lock, lock)
ENDS(int, pthread_cond_destroy, pthread_cond_t *cond, cond)
ENDS(void, cnd_destroy, cnd_t *cond, cond)
ENDS(int, pthread_barrier_destroy, pthread_barrier_t *barrier, barrier)
ENDS(int, pthread_spin_destroy, pthread_spinlock_t *lock, lock)
ENDS(int, sem_destroy, sem_t *semaphore, semaphore)

#define SIMPLY(name) darn_go_##name = DARN_REAL(name)

void darn_ends_simply(void)
{
    SIMPLY(free);
    SIMPLY(munmap);
    SIMPLY(close);
    SIMPLY(fclose);
    SIMPLY(pthread_mutex_destroy);
    SIMPLY(mtx_destroy);
    SIMPLY(pthread_rwlock_destroy);
    SIMPLY(pthread_cond_destroy);
    SIMPLY(cnd_destroy);
    SIMPLY(pthread_barrier_destroy);
    SIMPLY(pthread_spin_destroy);
    SIMPLY(sem_destroy);
}
