/*
 * What is known of the words that glibc keeps in its locks, in front of a block of the heap and in
 * a jmp_buf: here, and nowhere else. pthread_mutex_t and its relatives are the program's own
 * memory; whoever looks from another thread looks at a copy (darn_os_copy). That mutexes are as the
 * short way takes them is tried at the start (darn_mutex_fits).
 */
#ifndef DARN_RUNTIME_OS_GLIBC_H
#define DARN_RUNTIME_OS_GLIBC_H

#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* ---- the heap ---- */

/* Whether a block has a mapping of its own, which goes when it is freed: a bit of the word before
 * it, its size. */
static inline bool darn_block_is_mapped(const void *block)
{
    return ((const size_t *)block)[-1] & 2;
}

/* What malloc_usable_size says: all of the chunk but its header, of which the next chunk lends one
 * word unless the block is mapped. */
static inline size_t darn_block_size(const void *block)
{
    size_t chunk = ((const size_t *)block)[-1] & ~(size_t)7;

    return chunk - sizeof(size_t) * (darn_block_is_mapped(block) ? 2 : 1);
}

/* ---- mutexes ---- */

/* The kind: two bits of type, and flags. One that was asked to be of the usual type is never
 * elided: its words are always written. */
enum {
    DARN_MUTEX_TYPE = 3,
    DARN_MUTEX_ROBUST = 16,
    DARN_MUTEX_SHARED = 128,
    DARN_MUTEX_NOT_ELIDED = 512
};

/* The lock word of one without flags: free, taken; 2 when somebody waits as well. */
enum { DARN_MUTEX_FREE, DARN_MUTEX_TAKEN };

/* The thread that holds it, as far as that was written down: not the one who is just taking it. */
static inline int darn_mutex_owner(const pthread_mutex_t *mutex)
{
    return __atomic_load_n(&mutex->__data.__owner, __ATOMIC_ACQUIRE);
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

/* Neither shared with other processes, nor robust, nor does it hand on priorities: the owner is
 * written down, and nobody else but its threads has to do with it. */
static inline bool darn_mutex_is_ordinary(const pthread_mutex_t *mutex)
{
    return !(mutex->__data.__kind & ~(DARN_MUTEX_TYPE | DARN_MUTEX_NOT_ELIDED));
}

/* Giving it back fails with EPERM for a thread that does not have it. */
static inline bool darn_mutex_checks(const pthread_mutex_t *mutex)
{
    return darn_mutex_type(mutex) == PTHREAD_MUTEX_RECURSIVE ||
           darn_mutex_type(mutex) == PTHREAD_MUTEX_ERRORCHECK;
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

static inline bool darn_cond_has_waiters(const pthread_cond_t *cond)
{
    return __atomic_load_n(&cond->__data.__wrefs, __ATOMIC_RELAXED) >> 3;
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

/* __readers counts them above three flags, one of which is a writer's. */
enum { DARN_RWLOCK_WRITTEN = 2, DARN_RWLOCK_READERS = 3 };

static inline uint32_t darn_rwlock_readers(const pthread_rwlock_t *lock)
{
    return __atomic_load_n(&lock->__data.__readers, __ATOMIC_ACQUIRE) >> DARN_RWLOCK_READERS;
}

/* The thread that holds it for writing; 0: none. */
static inline int darn_rwlock_writer(const pthread_rwlock_t *lock)
{
    return __atomic_load_n(&lock->__data.__cur_writer, __ATOMIC_ACQUIRE);
}

/* Nobody holds it, nor is about to get it: after a writer the words of a free one are not 0. */
static inline bool darn_rwlock_is_unused(const pthread_rwlock_t *lock)
{
    return !darn_rwlock_readers(lock) && !darn_rwlock_writer(lock) &&
           !(__atomic_load_n(&lock->__data.__readers, __ATOMIC_ACQUIRE) & DARN_RWLOCK_WRITTEN);
}

static inline bool darn_rwlock_is_shared(const pthread_rwlock_t *lock)
{
    return lock->__data.__shared;
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

/* ---- barriers ---- */

struct darn_barrier_words {
    uint32_t in, round, count; /* who came in all; those of rounds that are full; for how many */
    int32_t shared;
};

static inline bool darn_barrier_is_shared(const pthread_barrier_t *barrier)
{
    return ((const struct darn_barrier_words *)barrier)->shared;
}

/* How many stand in a round that is not full. 0 also of one that other processes may come to. */
static inline uint32_t darn_barrier_blocked(const pthread_barrier_t *barrier)
{
    const struct darn_barrier_words *words = (const struct darn_barrier_words *)barrier;
    uint32_t in = __atomic_load_n(&words->in, __ATOMIC_ACQUIRE);
    uint32_t inside = in - __atomic_load_n(&words->round, __ATOMIC_ACQUIRE);

    return words->shared || inside >= words->count ? 0 : inside;
}

/* ---- semaphores ---- */

/* Behind the value, in 64 bits with the number of those who wait, comes whether it is shared. */
static inline bool darn_semaphore_is_shared(const sem_t *semaphore)
{
    return ((const int32_t *)semaphore)[2];
}

/* ---- jumps ---- */

/* Where the stack of the target ends. On x86-64 the stack pointer is the seventh register that
 * setjmp has kept, as PTR_MANGLE has changed it: with the secret of the thread, and rotated. */
static inline uintptr_t darn_jump_stack(const struct __jmp_buf_tag *env)
{
    uintptr_t stack = (uintptr_t)env->__jmpbuf[6];

    __asm__("ror $17, %0\n\txor %%fs:0x30, %0" : "+r"(stack) : : "cc");
    return stack;
}

#endif
