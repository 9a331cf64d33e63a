/*
 * Sleeping and blocking calls: a thread inside one cannot run into a window, so the sampler does
 * not count on it. What such a call does to the program's memory happens after the wait, and is not
 * watched.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/intercept.h"
#include "runtime/message.h"

/* result name(parameters) that waits: the arguments are those that the real function gets. */
#define WAITS(result, name, parameters, arguments)                                                 \
    DARN_INTERCEPT(result, name, PARAMETERS parameters)                                            \
    {                                                                                              \
        return DARN_WAITING(DARN_REAL(name) arguments);                                            \
    }
#define PARAMETERS(...) __VA_ARGS__

/* The same for one that reads from `fd`, or waits for a signal. */
#define RECEIVES(result, name, parameters, arguments, received)                                    \
    DARN_INTERCEPT(result, name, PARAMETERS parameters)                                            \
    {                                                                                              \
        result got = DARN_WAITING(DARN_REAL(name) arguments);                                      \
        int saved = errno;                                                                         \
        received;                                                                                  \
        errno = saved;                                                                             \
        return got;                                                                                \
    }
#define BY_FILE   darn_message_received(fd, __builtin_frame_address(0))
#define BY_SIGNAL darn_message_signal(__builtin_frame_address(0))

WAITS(unsigned, sleep, (unsigned seconds), (seconds))
WAITS(int, usleep, (useconds_t microseconds), (microseconds))
WAITS(int, nanosleep, (const struct timespec *time, struct timespec *left), (time, left))
WAITS(int, clock_nanosleep,
      (clockid_t clock, int flags, const struct timespec *time, struct timespec *left),
      (clock, flags, time, left))
WAITS(int, thrd_sleep, (const struct timespec *time, struct timespec *left), (time, left))
WAITS(int, sched_yield, (void), ())
RECEIVES(int, pause, (void), (), BY_SIGNAL)
RECEIVES(int, sigsuspend, (const sigset_t *set), (set), BY_SIGNAL)
RECEIVES(int, sigwait, (const sigset_t *set, int *number), (set, number), BY_SIGNAL)
RECEIVES(int, sigwaitinfo, (const sigset_t *set, siginfo_t *info), (set, info), BY_SIGNAL)
RECEIVES(int, sigtimedwait, (const sigset_t *set, siginfo_t *info, const struct timespec *time),
         (set, info, time), BY_SIGNAL)
WAITS(int, poll, (struct pollfd * fds, nfds_t count, int timeout), (fds, count, timeout))
WAITS(int, ppoll,
      (struct pollfd * fds, nfds_t count, const struct timespec *time, const sigset_t *set),
      (fds, count, time, set))
WAITS(int, select, (int count, fd_set *reads, fd_set *writes, fd_set *errors, struct timeval *time),
      (count, reads, writes, errors, time))
WAITS(int, pselect,
      (int count, fd_set *reads, fd_set *writes, fd_set *errors, const struct timespec *time,
       const sigset_t *set),
      (count, reads, writes, errors, time, set))
WAITS(int, epoll_wait, (int fd, struct epoll_event *events, int count, int timeout),
      (fd, events, count, timeout))
WAITS(int, epoll_pwait,
      (int fd, struct epoll_event *events, int count, int timeout, const sigset_t *set),
      (fd, events, count, timeout, set))
RECEIVES(ssize_t, read, (int fd, void *buffer, size_t size), (fd, buffer, size), BY_FILE)
RECEIVES(ssize_t, readv, (int fd, const struct iovec *parts, int count), (fd, parts, count),
         BY_FILE)
RECEIVES(ssize_t, recv, (int fd, void *buffer, size_t size, int flags), (fd, buffer, size, flags),
         BY_FILE)
RECEIVES(ssize_t, recvfrom,
         (int fd, void *buffer, size_t size, int flags, struct sockaddr *from, socklen_t *length),
         (fd, buffer, size, flags, from, length), BY_FILE)
RECEIVES(ssize_t, recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags),
         BY_FILE)
RECEIVES(int, accept, (int fd, struct sockaddr *from, socklen_t *length), (fd, from, length),
         BY_FILE)
RECEIVES(int, accept4, (int fd, struct sockaddr *from, socklen_t *length, int flags),
         (fd, from, length, flags), BY_FILE)

DARN_INTERCEPT(int, connect, int fd, const struct sockaddr *to, socklen_t length)
{
    darn_message_sent(fd, __builtin_frame_address(0));
    return DARN_WAITING(DARN_REAL(connect)(fd, to, length));
}

WAITS(pid_t, wait, (int *status), (status))
WAITS(pid_t, waitpid, (pid_t pid, int *status, int options), (pid, status, options))
WAITS(int, waitid, (idtype_t type, id_t id, siginfo_t *info, int options),
      (type, id, info, options))
