/*
 * How to intercept a function of libc (docs/howto-interceptor.md):
 *
 *     DARN_INTERCEPT(int, pthread_mutex_lock, pthread_mutex_t *mutex)
 *     {
 *         …
 *         return DARN_REAL(pthread_mutex_lock)(mutex);
 *     }
 *
 * The definition is weak: a program that defines the function itself keeps its own.
 */
#ifndef DARN_RUNTIME_INTERCEPT_H
#define DARN_RUNTIME_INTERCEPT_H

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "runtime/control/turn_sync.h"
#include "runtime/os/os.h"
#include "runtime/os/real_function.h"
#include "runtime/thread/locks.h"
#include "runtime/thread/thread.h"
#include "runtime/thread/waits.h"
#include "runtime/watch/noise_inject.h"

/* All of them in one place: calls of them are told from calls of what nobody knows. */
#define DARN_INTERCEPTOR __attribute__((weak, visibility("default"), section("darn_text")))

#define DARN_INTERCEPT(result, name, ...)                                                          \
    DARN_INTERCEPT_ALONE(result, name, __VA_ARGS__);                                               \
    extern __typeof__(name) __interceptor_##name                                                   \
        __attribute__((alias(#name), visibility("default")));                                      \
    DARN_INTERCEPTOR result name(__VA_ARGS__)

/*
 * The same for a function that stays with the sanitizer in a program that is built with one
 * (-fsanitize=address): its allocator is its own. All others are ours there, too: a sanitizer's
 * `name` goes to __interceptor_name, which may be somebody else's, and then expects to be called
 * as ___interceptor_name (compiler-rt, interception.h).
 */
#define DARN_INTERCEPT_ALONE(result, name, ...)                                                    \
    DARN_INTERCEPT_RECORD(result, name, NULL, __VA_ARGS__);                                        \
    DARN_INTERCEPTOR result name(__VA_ARGS__)

/*
 * The same for what programs call often: where nothing is to be done in this run, a call goes
 * straight to the real function (darn_intercept_bypass). The function is one jump, so that ours has
 * the caller's return address, as if it had been called itself.
 */
#define DARN_INTERCEPT_OFTEN(result, name, ...)                                                    \
    __asm__(".globl __interceptor_" #name "\n.set __interceptor_" #name ", " #name "\n");          \
    DARN_INTERCEPT_OFTEN_ALONE(result, name, __VA_ARGS__)

#define DARN_INTERCEPT_OFTEN_ALONE(result, name, ...)                                              \
    static result ours_##name(__VA_ARGS__);                                                        \
    __attribute__((visibility("hidden"))) result (*darn_go_##name)(__VA_ARGS__) = ours_##name;     \
    DARN_INTERCEPT_RECORD(result, name, (void **)&darn_go_##name, __VA_ARGS__);                    \
    __asm__(".section darn_text, \"ax\", @progbits\n.p2align 4\n.weak " #name "\n.type " #name     \
            ", @function\n" #name ":\n"                                                            \
            "jmp *darn_go_" #name "(%rip)\n.size " #name ", . - " #name "\n.text\n");              \
    static result ours_##name(__VA_ARGS__)

#define DARN_INTERCEPT_RECORD(result, name, go, ...)                                               \
    static result (*real_##name)(__VA_ARGS__);                                                     \
    static const struct darn_intercept intercept_##name                                            \
        __attribute__((used, retain, section("darn_intercepts"))) = {#name, (void **)&real_##name, \
                                                                     go}

struct darn_intercept {
    const char *name;
    void **real;
    void **go; /* where a call goes; NULL: always to ours */
};

/* Finds all real functions when the program starts: a look-up takes the loader's lock, which a
 * thread that waits for us in a constructor of a shared object may hold. */
void darn_intercept_resolve(void);

/* From now on the calls that are frequent are not intercepted. */
void darn_intercept_bypass(void);

/* In production: from now on mutexes have the short way, and spin locks none. intercept_mutex.c. */
void darn_locks_simply(void);

/* In production: no order waits for the end of memory or objects. production/ends.c; does nothing
 * elsewhere. */
void darn_ends_simply(void) __attribute__((visibility("hidden")));

/* In a run that is watched and nothing else: mutexes have a short way, too. intercept_mutex.c. */
void darn_locks_watched(void);

#define DARN_REAL(name)                                                                            \
    (real_##name ? real_##name : (real_##name = (__typeof__(real_##name))darn_real(#name)))

/* As darn_real, for a function of a library that may be loaded late, and with names of its own:
 * `caller` is the address that it was called from. */
void *darn_real_late(void **real, const char *name, const void *caller);

/* What a C11 call returns where its pthread function has returned this. */
int darn_thrd_result(int result);

/* A call that may wait for other threads or for the outside: `call` is the expression. */
#define DARN_WAITING(call) DARN_WAITING_IN(__builtin_frame_address(0), call)

/* The same for the interceptor that has this frame. */
#define DARN_WAITING_IN(in, call)                                                                  \
    ({                                                                                             \
        struct darn_thread *waiting = darn_thread_self();                                          \
        darn_noise_at_call(waiting);                                                               \
        struct darn_slot *leaving = darn_turn_mine(waiting);                                       \
        if (leaving)                                                                               \
            darn_turn_outside(leaving, in);                                                        \
        darn_wait_begin(waiting, DARN_WAIT_OTHER, NULL, in);                                       \
        __typeof__(call) waited = (call);                                                          \
        int waited_errno = errno;                                                                  \
        darn_wait_end(waiting);                                                                    \
        if (leaving)                                                                               \
            darn_turn_return(leaving);                                                             \
        errno = waited_errno;                                                                      \
        waited;                                                                                    \
    })

#endif
