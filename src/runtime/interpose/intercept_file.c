/* The beginning and the end of file descriptors and streams; and processes, which may have them,
 * too.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/heal/gates.h"
#include "runtime/interpose/intercept.h"
#include "runtime/interpose/message.h"
#include "runtime/interpose/used.h"
#include "runtime/os/os.h"
#include "runtime/record/record_ends.h"

#define FRAME __builtin_frame_address(0)

DARN_INTERCEPT(int, close, int fd)
{
    darn_gate_end((void *)(intptr_t)fd, FRAME);
    darn_message_tell(fd, FRAME);
    if (darn_ended_is_wanted())
        darn_ended_file(darn_thread_peek(), fd, FRAME);
    return DARN_REAL(close)(fd);
}

/* The third argument is passed on as it came, whether there is one or not. */
#define OPENS(name, parameters, ...)                                                               \
    DARN_INTERCEPT(int, name, PARAMETERS parameters, ...)                                          \
    {                                                                                              \
        va_list arguments;                                                                         \
        mode_t mode;                                                                               \
        int fd;                                                                                    \
                                                                                                   \
        va_start(arguments, flags);                                                                \
        mode = va_arg(arguments, mode_t);                                                          \
        va_end(arguments);                                                                         \
        darn_message_opens(flags &(O_ACCMODE | O_CREAT), FRAME);                                   \
        fd = DARN_REAL(name)(__VA_ARGS__, mode);                                                   \
        darn_message_opened(fd, flags &O_EXCL, flags &(O_ACCMODE | O_CREAT));                      \
        darn_begin_file(fd);                                                                       \
        return fd;                                                                                 \
    }
#define PARAMETERS(...) __VA_ARGS__

OPENS(open, (const char *path, int flags), path, flags)
OPENS(open64, (const char *path, int flags), path, flags)
OPENS(openat, (int directory, const char *path, int flags), directory, path, flags)
OPENS(openat64, (int directory, const char *path, int flags), directory, path, flags)

/* A standard stream leads elsewhere from now on. */
static void note_standard(int fd)
{
    if (fd >= 0 && fd <= STDERR_FILENO && darn_os_channel(fd))
        darn_message_streams = true;
}

DARN_INTERCEPT(int, dup2, int old, int fd)
{
    int result;

    darn_message_tell(fd, FRAME); /* what was there ends */
    result = DARN_REAL(dup2)(old, fd);
    note_standard(result);
    darn_begin_file(result);
    return result;
}

DARN_INTERCEPT(int, dup3, int old, int fd, int flags)
{
    int result;

    darn_message_tell(fd, FRAME);
    result = DARN_REAL(dup3)(old, fd, flags);
    note_standard(result);
    darn_begin_file(result);
    return result;
}

/* What libc gives back in here, the caller gives back. */
DARN_INTERCEPT(int, fclose, FILE *stream)
{
    struct darn_thread *thread = darn_ordering ? darn_thread_peek() : NULL;
    struct darn_slot *slot = darn_turn_mine(darn_thread_peek());
    int saved = errno, result;

    darn_gate_end(stream, FRAME);
    if (slot)
        darn_turn_end_object(slot, (uintptr_t)stream, sizeof(*stream), DARN_OBJECT_STREAM, FRAME);
    if (!thread)
        return DARN_REAL(fclose)(stream);
    darn_begin_file(fileno(stream)); /* its end is that of the stream */
    errno = saved;
    thread->closing = FRAME;
    result = DARN_REAL(fclose)(stream);
    thread->closing = NULL;
    return result;
}

/* ---- other processes ---- */

#define SPAWNS(name, path_type)                                                                    \
    DARN_INTERCEPT(int, name, pid_t *pid, path_type path,                                          \
                   const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes, \
                   char *const arguments[], char *const environment[])                             \
    {                                                                                              \
        darn_order_process();                                                                      \
        return DARN_REAL(name)(pid, path, actions, attributes, arguments, environment);            \
    }

SPAWNS(posix_spawn, const char *)
SPAWNS(posix_spawnp, const char *)

#define AWAITS(result, name, parameters, arguments)                                                \
    DARN_INTERCEPT(result, name, PARAMETERS parameters)                                            \
    {                                                                                              \
        result got = DARN_WAITING(DARN_REAL(name) arguments);                                      \
                                                                                                   \
        darn_order_told_by_process();                                                              \
        return got;                                                                                \
    }

AWAITS(pid_t, wait, (int *status), (status))
AWAITS(pid_t, waitpid, (pid_t pid, int *status, int options), (pid, status, options))
AWAITS(int, waitid, (idtype_t type, id_t id, siginfo_t *info, int options),
       (type, id, info, options))
