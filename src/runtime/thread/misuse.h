/*
 * Misuse of the objects that threads synchronize with: a lock that is given back by a thread that
 * does not have it, one that is destroyed while it is held or waited for, one that is initialised
 * again while it is held or waited for. It is reported when it happens, before the call is made.
 *
 * Two have to agree before anybody is said to hold something: libc's own words in the object, and
 * the list of the thread (locks.h). Where they do not, or cannot be known, nothing is said: objects
 * that other processes may use, robust ones, those that hand on priorities. Calls whose misuse
 * POSIX defines are none: unlocking a recursive or an error-checking mutex fails with EPERM, which
 * the program has asked for.
 */
#ifndef DARN_RUNTIME_MISUSE_H
#define DARN_RUNTIME_MISUSE_H

#include <pthread.h>

#define DARN_KIND_MISUSE "sync-misuse"

struct darn_thread;

/* The thread is about to give back what it is not known to have. `frame` is that of the
 * interceptor, here and below. */
void darn_misuse_unlock_mutex(struct darn_thread *thread, const pthread_mutex_t *mutex,
                              const void *frame);
void darn_misuse_unlock_rwlock(struct darn_thread *thread, const pthread_rwlock_t *lock,
                               const void *frame);

/* It is about to destroy it. */
void darn_misuse_destroy_mutex(struct darn_thread *thread, const pthread_mutex_t *mutex,
                               const void *frame);
void darn_misuse_destroy_rwlock(struct darn_thread *thread, const pthread_rwlock_t *lock,
                                const void *frame);
void darn_misuse_destroy_cond(struct darn_thread *thread, const pthread_cond_t *cond,
                              const void *frame);
void darn_misuse_destroy_barrier(struct darn_thread *thread, const pthread_barrier_t *barrier,
                                 const void *frame);

/* It is about to initialise it. */
void darn_misuse_init_mutex(struct darn_thread *thread, const pthread_mutex_t *mutex,
                            const void *frame);

/*
 * A condition variable may be destroyed as soon as all who wait for it are woken, long before they
 * return (POSIX has that as an example). Who waits, and is not woken for certain, is known by
 * counting signals: none was on its way when the wait began, and none was sent since.
 */
void darn_signals_wait(struct darn_thread *thread, const pthread_cond_t *cond);
void darn_signals_begin(const pthread_cond_t *cond);
void darn_signals_end(const pthread_cond_t *cond);

/* A thread is cancelled: it may run handlers of the program while it seems to wait. From now on
 * nobody is said to wait. */
void darn_misuse_cancel(void);

#endif
