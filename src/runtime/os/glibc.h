/*
 * What is known of the words that glibc keeps in its locks: here, and nowhere else. pthread_mutex_t
 * and its relatives are the program's own memory; whoever looks from another thread looks at a copy
 * (darn_os_copy). That mutexes are as the short way takes them is tried at the start
 * (darn_mutex_fits).
 */
#ifndef DARN_RUNTIME_OS_GLIBC_H
#define DARN_RUNTIME_OS_GLIBC_H

#include <linux/futex.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>

/* ---- mutexes ---- */

/* The kind: two bits of type, and flags. */
enum { DARN_MUTEX_TYPE = 3, DARN_MUTEX_ROBUST = 16, DARN_MUTEX_SHARED = 128 };

/* The lock word of one without flags: free, taken; 2 when somebody waits as well. */
enum { DARN_MUTEX_FREE, DARN_MUTEX_TAKEN };

/* The thread that holds it, as far as that was written down: not the one who is just taking it. */
static inline int darn_mutex_owner(const pthread_mutex_t *mutex)
{
    return mutex->__data.__owner;
}

/* PTHREAD_MUTEX_NORMAL, …; 0 is the usual one. */
static inline int darn_mutex_type(const pthread_mutex_t *mutex)
{
    return mutex->__data.__kind & DARN_MUTEX_TYPE;
}

/* The usual one, private, and nothing special in any way. */
static inline bool darn_mutex_is_plain(const pthread_mutex_t *mutex)
{
    return !mutex->__data.__kind;
}

static inline bool darn_mutex_is_robust(const pthread_mutex_t *mutex)
{
    return mutex->__data.__kind & DARN_MUTEX_ROBUST;
}

/* Other processes may take it and give it back. */
static inline bool darn_mutex_is_shared(const pthread_mutex_t *mutex)
{
    return mutex->__data.__kind & DARN_MUTEX_SHARED;
}

/* Of a robust one or one that inherits priority the word is the id of the holder; of others it is
 * not 0 while they are taken. */
static inline int darn_mutex_holder(const pthread_mutex_t *mutex)
{
    return __atomic_load_n(&mutex->__data.__lock, __ATOMIC_RELAXED) & FUTEX_TID_MASK;
}

/* Takes a free plain mutex, or gives one back that nobody waits for, as libc does it. */
static inline bool darn_mutex_take(pthread_mutex_t *mutex, int tid)
{
    int free = DARN_MUTEX_FREE;

    if (!__atomic_compare_exchange_n(&mutex->__data.__lock, &free, DARN_MUTEX_TAKEN, false,
                                     __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        return false;
    mutex->__data.__owner = tid;
    mutex->__data.__nusers++;
    return true;
}

static inline bool darn_mutex_give(pthread_mutex_t *mutex, int tid)
{
    int taken = DARN_MUTEX_TAKEN;

    mutex->__data.__owner = 0;
    mutex->__data.__nusers--;
    if (__atomic_compare_exchange_n(&mutex->__data.__lock, &taken, DARN_MUTEX_FREE, false,
                                    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        return true;
    mutex->__data.__owner = tid;
    mutex->__data.__nusers++;
    return false;
}

/* Whether a new mutex looks as these two expect it, when libc has taken it and given it back. */
static inline bool darn_mutex_fits(int (*lock)(pthread_mutex_t *), int (*unlock)(pthread_mutex_t *),
                                   int tid)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    bool fits = mutex.__data.__kind == 0 && mutex.__data.__lock == DARN_MUTEX_FREE &&
                lock(&mutex) == 0 && mutex.__data.__kind == 0 &&
                mutex.__data.__lock == DARN_MUTEX_TAKEN && mutex.__data.__owner == tid &&
                mutex.__data.__nusers == 1;

    return unlock(&mutex) == 0 && fits && mutex.__data.__lock == DARN_MUTEX_FREE &&
           mutex.__data.__owner == 0 && mutex.__data.__nusers == 0;
}

/* ---- condition variables ---- */

/* __wrefs counts waiters, above three bits of which two are attributes. */
enum { DARN_COND_SHARED = 1, DARN_COND_MONOTONIC = 2 };

/* Other processes may signal it: nobody but libc can play it. */
static inline bool darn_cond_is_shared(const pthread_cond_t *cond)
{
    return cond->__data.__wrefs & DARN_COND_SHARED;
}

/* The clock that it was made for. */
static inline clockid_t darn_cond_clock(const pthread_cond_t *cond)
{
    return cond->__data.__wrefs & DARN_COND_MONOTONIC ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

/* ---- read-write locks and spin locks ---- */

static inline bool darn_rwlock_is_free(const pthread_rwlock_t *lock)
{
    return !lock->__data.__readers && !lock->__data.__cur_writer;
}

/* A reader waits when a writer does. */
static inline bool darn_rwlock_prefers_writers(const pthread_rwlock_t *lock)
{
    return lock->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

/* On x86-64 it is 1 when it is free, and 0 or less while it is taken. */
static inline bool darn_spinlock_is_free(const pthread_spinlock_t *lock)
{
    return *lock == 1;
}

#endif
