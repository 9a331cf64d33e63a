/*
 * A process that gives up its rights must not keep a thread that still has them: it shares all
 * memory with the others, so that whoever has taken over the program could use it. To the kernel
 * rights are those of a thread. libc changes them in all of its threads; ours is none of these, and
 * begins anew.
 */
#define _GNU_SOURCE
#include <grp.h>
#include <unistd.h>

#include "runtime/interpose/intercept.h"
#include "runtime/watch/sampler.h"

#define CHANGES(name, parameters, arguments)                                                       \
    DARN_INTERCEPT(int, name, PARAMETERS parameters)                                               \
    {                                                                                              \
        int result, error;                                                                         \
                                                                                                   \
        darn_sampler_hold();                                                                       \
        result = DARN_REAL(name) arguments;                                                        \
        error = errno;                                                                             \
        darn_sampler_release();                                                                    \
        errno = error;                                                                             \
        return result;                                                                             \
    }

#define PARAMETERS(...) __VA_ARGS__

CHANGES(setuid, (uid_t user), (user))
CHANGES(setgid, (gid_t group), (group))
CHANGES(seteuid, (uid_t user), (user))
CHANGES(setegid, (gid_t group), (group))
CHANGES(setreuid, (uid_t real, uid_t effective), (real, effective))
CHANGES(setregid, (gid_t real, gid_t effective), (real, effective))
CHANGES(setresuid, (uid_t real, uid_t effective, uid_t saved), (real, effective, saved))
CHANGES(setresgid, (gid_t real, gid_t effective, gid_t saved), (real, effective, saved))
CHANGES(setgroups, (size_t count, const gid_t *groups), (count, groups))
CHANGES(initgroups, (const char *user, gid_t group), (user, group))
