/*
 * Annotations for programs that are compiled by `darn cc`. With any other compiler, or when darn is
 * not used, every one of them is empty: the header can stay in production code.
 */
#ifndef DARN_H
#define DARN_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __DARN__

/* Do not call these directly: use the macros below. */
void darn_benign_race(const volatile void *address, size_t size);
void darn_ignore_begin(void);
void darn_ignore_end(void);
void darn_assert_exclusive_writer(const volatile void *address, size_t size);
void darn_assert_exclusive_access(const volatile void *address, size_t size);
void darn_atomic_begin(const volatile void *address, size_t size, const char *variable,
                       const char *function);
void darn_atomic_end(const volatile void *address);

/* Races on these bytes are known and harmless: they are never reported. */
#define DARN_BENIGN_RACE(address, size) darn_benign_race((address), (size))

/* The accesses of this thread from here to the end are not reported, on either side of a race. May
 * nest. */
#define DARN_IGNORE_BEGIN() darn_ignore_begin()
#define DARN_IGNORE_END()   darn_ignore_end()

/* Before a function: its accesses are not watched at all. */
#define DARN_IGNORE_FUNCTION __attribute__((noinline, annotate("darn.ignore")))

/* Before a function: nobody else may come between its accesses to a variable. */
#define DARN_ATOMIC_FUNCTION __attribute__((noinline, annotate("darn.atomic")))

/* Before a function: it is not expected to be atomic. To `darn predict --atomicity`, which takes it
 * that all functions are that other files can call. */
#define DARN_NOT_ATOMIC_FUNCTION __attribute__((noinline, annotate("darn.not_atomic")))

/*
 * Nobody else writes the variable at this moment, not even atomically (others may read it); nobody
 * else touches it at all. If another thread does, that is reported.
 */
#define DARN_ASSERT_EXCLUSIVE_WRITER(variable)                                                     \
    darn_assert_exclusive_writer(&(variable), sizeof(variable))
#define DARN_ASSERT_EXCLUSIVE_ACCESS(variable)                                                     \
    darn_assert_exclusive_access(&(variable), sizeof(variable))

/*
 * What this thread does with the variable from here to the end belongs together: nobody else may
 * come in between in a way that shows. Both stand in the same function; leaving by return needs an
 * end of its own, by exception or longjmp does not.
 */
#define DARN_ATOMIC_BEGIN(variable)                                                                \
    darn_atomic_begin(&(variable), sizeof(variable), #variable, __func__)
#define DARN_ATOMIC_END(variable) darn_atomic_end(&(variable))

#else

#define DARN_BENIGN_RACE(address, size) ((void)0)
#define DARN_IGNORE_BEGIN()             ((void)0)
#define DARN_IGNORE_END()               ((void)0)
#define DARN_IGNORE_FUNCTION
#define DARN_ATOMIC_FUNCTION
#define DARN_NOT_ATOMIC_FUNCTION
#define DARN_ASSERT_EXCLUSIVE_WRITER(variable) ((void)0)
#define DARN_ASSERT_EXCLUSIVE_ACCESS(variable) ((void)0)
#define DARN_ATOMIC_BEGIN(variable)            ((void)0)
#define DARN_ATOMIC_END(variable)              ((void)0)

#endif

#ifdef __cplusplus
}
#endif

#endif
