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
#include <time.h>
#include <unistd.h>

#include "runtime/control/control.h"
#include "runtime/control/inputs.h"
#include "runtime/control/turn_file.h"
#include "runtime/control/vtime.h"
#include "runtime/interpose/channel.h"
#include "runtime/interpose/intercept.h"
#include "runtime/interpose/message.h"

#define PARAMETERS(...) __VA_ARGS__

/* result name(parameters) that waits for a signal: the arguments are those that the real function
 * gets. */
#define RECEIVES(result, name, parameters, arguments, received)                                    \
    DARN_INTERCEPT(result, name, PARAMETERS parameters)                                            \
    {                                                                                              \
        result got = DARN_WAITING(DARN_REAL(name) arguments);                                      \
        int saved = errno;                                                                         \
        received;                                                                                  \
        errno = saved;                                                                             \
        return got;                                                                                \
    }
#define BY_SIGNAL darn_message_signal(FRAME)
#define FRAME     __builtin_frame_address(0)

/* Sleeping takes virtual time in a controlled run. */
static bool slept(uint64_t nanoseconds, const void *frame)
{
    struct darn_slot *slot = darn_turn_mine(darn_thread_self());
    struct timespec span = {.tv_sec = (time_t)(nanoseconds / 1000000000),
                            .tv_nsec = (long)(nanoseconds % 1000000000)};

    if (!slot)
        return false;
    darn_turn_sleep(slot, darn_vtime_after(&span), frame);
    return true;
}

static uint64_t nanoseconds_of(const struct timespec *time)
{
    return time->tv_sec < 0 ? 0 : (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_nsec;
}

DARN_INTERCEPT(unsigned, sleep, unsigned seconds)
{
    if (slept((uint64_t)seconds * 1000000000, FRAME))
        return 0;
    return DARN_WAITING(DARN_REAL(sleep)(seconds));
}

DARN_INTERCEPT(int, usleep, useconds_t microseconds)
{
    if (slept((uint64_t)microseconds * 1000, FRAME))
        return 0;
    return DARN_WAITING(DARN_REAL(usleep)(microseconds));
}

DARN_INTERCEPT(int, nanosleep, const struct timespec *time, struct timespec *left)
{
    if (slept(nanoseconds_of(time), FRAME))
        return 0;
    return DARN_WAITING(DARN_REAL(nanosleep)(time, left));
}

DARN_INTERCEPT(int, clock_nanosleep, clockid_t clock, int flags, const struct timespec *time,
               struct timespec *left)
{
    struct darn_slot *slot = darn_turn_mine(darn_thread_self());

    if (slot) {
        darn_turn_sleep(slot,
                        flags & TIMER_ABSTIME ? darn_vtime_of(clock, time) : darn_vtime_after(time),
                        FRAME);
        return 0;
    }
    return DARN_WAITING(DARN_REAL(clock_nanosleep)(clock, flags, time, left));
}

DARN_INTERCEPT(int, thrd_sleep, const struct timespec *time, struct timespec *left)
{
    if (slept(nanoseconds_of(time), FRAME))
        return 0;
    return DARN_WAITING(DARN_REAL(thrd_sleep)(time, left));
}

DARN_INTERCEPT(int, sched_yield, void)
{
    struct darn_slot *slot = darn_turn_mine(darn_thread_self());

    /* Alone, a library (a sanitizer that looks for leaks) waits for something outside. */
    if (slot && (darn_turn_has_others() ||
                 darn_control_has_compiled((uint64_t)__builtin_return_address(0)))) {
        darn_turn_yield(slot, FRAME);
        return 0;
    }
    return DARN_WAITING(DARN_REAL(sched_yield)());
}

RECEIVES(int, pause, (void), (), BY_SIGNAL)
RECEIVES(int, sigsuspend, (const sigset_t *set), (set), BY_SIGNAL)
RECEIVES(int, sigwait, (const sigset_t *set, int *number), (set, number), BY_SIGNAL)
RECEIVES(int, sigwaitinfo, (const sigset_t *set, siginfo_t *info), (set, info), BY_SIGNAL)
RECEIVES(int, sigtimedwait, (const sigset_t *set, siginfo_t *info, const struct timespec *time),
         (set, info, time), BY_SIGNAL)

static int64_t of_milliseconds(int timeout)
{
    return timeout < 0 ? -1 : (int64_t)timeout * 1000000;
}

static int64_t of_timespec(const struct timespec *time)
{
    return time ? (int64_t)nanoseconds_of(time) : -1;
}

/* What is ready to be read was written before. */
static int ready(int result, const struct pollfd *fds, nfds_t count, const void *frame)
{
    for (nfds_t i = 0; result > 0 && i < count; i++) {
        if (fds[i].revents & ~POLLOUT)
            darn_message_received(fds[i].fd, frame);
        if (fds[i].revents & POLLOUT)
            darn_message_has_room(fds[i].fd, frame);
    }
    return result;
}

static bool has(const fd_set *set, int fd)
{
    return set && set->fds_bits[fd / __NFDBITS] >> fd % __NFDBITS & 1;
}

static int ready_set(int result, int count, const fd_set *reads, const fd_set *writes,
                     const void *frame)
{
    for (int fd = 0; result > 0 && fd < count; fd++) {
        if (has(reads, fd))
            darn_message_received(fd, frame);
        if (has(writes, fd))
            darn_message_has_room(fd, frame);
    }
    return result;
}

DARN_INTERCEPT(int, poll, struct pollfd *fds, nfds_t count, int timeout)
{
    struct darn_slot *slot = darn_turn_mine(darn_thread_self());
    int came;

    if (slot) {
        came = darn_turn_poll(slot, fds, count, of_milliseconds(timeout), FRAME);
        return came > 0 ? DARN_REAL(poll)(fds, count, 0) : came;
    }
    return ready(DARN_WAITING(DARN_REAL(poll)(fds, count, timeout)), fds, count, FRAME);
}

DARN_INTERCEPT(int, ppoll, struct pollfd *fds, nfds_t count, const struct timespec *time,
               const sigset_t *set)
{
    struct darn_slot *slot = darn_turn_mine(darn_thread_self());
    int came;

    if (slot && !set) {
        came = darn_turn_poll(slot, fds, count, of_timespec(time), FRAME);
        return came > 0 ? DARN_REAL(ppoll)(fds, count, &(struct timespec){0}, NULL) : came;
    }
    return ready(DARN_WAITING(DARN_REAL(ppoll)(fds, count, time, set)), fds, count, FRAME);
}

DARN_INTERCEPT(int, select, int count, fd_set *reads, fd_set *writes, fd_set *errors,
               struct timeval *time)
{
    struct darn_slot *slot = darn_turn_mine(darn_thread_self());
    int came;

    if (slot && count <= FD_SETSIZE) {
        came = darn_turn_select(
            slot, count, reads, writes, errors,
            time ? (int64_t)time->tv_sec * 1000000000 + time->tv_usec * 1000 : -1, FRAME);
        return came > 0 ? DARN_REAL(select)(count, reads, writes, errors, &(struct timeval){0})
                        : came;
    }
    return ready_set(DARN_WAITING(DARN_REAL(select)(count, reads, writes, errors, time)), count,
                     reads, writes, FRAME);
}

DARN_INTERCEPT(int, pselect, int count, fd_set *reads, fd_set *writes, fd_set *errors,
               const struct timespec *time, const sigset_t *set)
{
    struct darn_slot *slot = darn_turn_mine(darn_thread_self());
    int came;

    if (slot && !set && count <= FD_SETSIZE) {
        came = darn_turn_select(slot, count, reads, writes, errors, of_timespec(time), FRAME);
        return came > 0
                   ? DARN_REAL(pselect)(count, reads, writes, errors, &(struct timespec){0}, NULL)
                   : came;
    }
    return ready_set(DARN_WAITING(DARN_REAL(pselect)(count, reads, writes, errors, time, set)),
                     count, reads, writes, FRAME);
}

/* The file of an epoll can be polled itself. */
static int awaited(struct darn_slot *slot, int fd, int timeout, const void *frame)
{
    struct pollfd file = {.fd = fd, .events = POLLIN};

    return darn_turn_poll(slot, &file, 1, of_milliseconds(timeout), frame);
}

static int polled(int result, int fd, const void *frame)
{
    if (result > 0)
        darn_message_polled(fd, frame);
    return result;
}

DARN_INTERCEPT(int, epoll_wait, int fd, struct epoll_event *events, int count, int timeout)
{
    struct darn_slot *slot = darn_turn_mine(darn_thread_self());
    int came;

    if (slot) {
        came = awaited(slot, fd, timeout, FRAME);
        return came > 0 ? DARN_REAL(epoll_wait)(fd, events, count, 0) : came;
    }
    return polled(DARN_WAITING(DARN_REAL(epoll_wait)(fd, events, count, timeout)), fd, FRAME);
}

DARN_INTERCEPT(int, epoll_pwait, int fd, struct epoll_event *events, int count, int timeout,
               const sigset_t *set)
{
    struct darn_slot *slot = darn_turn_mine(darn_thread_self());
    int came;

    if (slot && !set) {
        came = awaited(slot, fd, timeout, FRAME);
        return came > 0 ? DARN_REAL(epoll_pwait)(fd, events, count, 0, NULL) : came;
    }
    return polled(DARN_WAITING(DARN_REAL(epoll_pwait)(fd, events, count, timeout, set)), fd, FRAME);
}

DARN_INTERCEPT(ssize_t, read, int fd, void *buffer, size_t size)
{
    struct darn_slot *slot = darn_turn_mine(darn_thread_self());
    uint64_t file;
    ssize_t got;
    int saved;

    if (slot) {
        if (!darn_turn_file(slot, fd, POLLIN, FRAME))
            return -1;
        got = DARN_REAL(read)(fd, buffer, size);
        darn_input_read(fd, buffer, got);
        return got;
    }
    file = darn_message_reads(fd, FRAME);
    got = DARN_WAITING(DARN_REAL(read)(fd, buffer, size));
    saved = errno;
    darn_message_got(fd, file, FRAME);
    errno = saved;
    return got;
}

/* One that reads from `fd`: in a controlled run it waits until there is something to be read. */
#define READS(result, name, parameters, arguments)                                                 \
    DARN_INTERCEPT(result, name, PARAMETERS parameters)                                            \
    {                                                                                              \
        struct darn_slot *slot = darn_turn_mine(darn_thread_self());                               \
        uint64_t file;                                                                             \
        result got;                                                                                \
        int saved;                                                                                 \
                                                                                                   \
        if (slot) {                                                                                \
            if (!darn_turn_file(slot, fd, POLLIN, FRAME))                                          \
                return -1;                                                                         \
            darn_input_not_recorded(DARN_INPUT_SOCKET);                                            \
            return DARN_REAL(name) arguments;                                                      \
        }                                                                                          \
        file = darn_message_reads(fd, FRAME);                                                      \
        got = DARN_WAITING(DARN_REAL(name) arguments);                                             \
        saved = errno;                                                                             \
        darn_message_got(fd, file, FRAME);                                                         \
        errno = saved;                                                                             \
        return got;                                                                                \
    }

READS(ssize_t, readv, (int fd, const struct iovec *parts, int count), (fd, parts, count))
/* Without an offset (-1) these are readv. */
READS(ssize_t, preadv2, (int fd, const struct iovec *parts, int count, off_t at, int flags),
      (fd, parts, count, at, flags))
READS(ssize_t, preadv64v2, (int fd, const struct iovec *parts, int count, off64_t at, int flags),
      (fd, parts, count, at, flags))
READS(ssize_t, recv, (int fd, void *buffer, size_t size, int flags), (fd, buffer, size, flags))
READS(ssize_t, recvfrom,
      (int fd, void *buffer, size_t size, int flags, struct sockaddr *from, socklen_t *length),
      (fd, buffer, size, flags, from, length))
READS(ssize_t, recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags))
READS(int, recvmmsg,
      (int fd, struct mmsghdr *messages, unsigned count, int flags, struct timespec *time),
      (fd, messages, count, flags, time))
READS(int, accept, (int fd, struct sockaddr *from, socklen_t *length), (fd, from, length))
READS(int, accept4, (int fd, struct sockaddr *from, socklen_t *length, int flags),
      (fd, from, length, flags))

DARN_INTERCEPT(int, connect, int fd, const struct sockaddr *to, socklen_t length)
{
    int result;

    darn_message_sent(fd, DARN_CHANNEL_ANY, FRAME); /* as soon as somebody accepts */
    result = DARN_WAITING(DARN_REAL(connect)(fd, to, length));
    if (result < 0)
        darn_message_refused();
    return result;
}
