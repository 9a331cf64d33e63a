/*
 * What carries a message from one thread to another without being made for threads: pipes, sockets,
 * eventfds, signals, and the guards of C++'s local statics. Only a trace wants to know.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/control/inputs.h"
#include "runtime/control/turn_file.h"
#include "runtime/heal/heal.h"
#include "runtime/interpose/intercept.h"
#include "runtime/interpose/message.h"
#include "runtime/os/os.h"
#include "runtime/record/record.h"

#define FRAME __builtin_frame_address(0)

#define SIGNALS (UINT64_C(1) << 61) /* no address of the program */

static void tell(enum darn_event_kind kind, uint64_t target, const void *frame)
{
    struct darn_thread *thread = darn_thread_self();
    struct darn_event event = {.kind = (uint8_t)kind, .target = target};

    if (thread && target)
        darn_record_event(thread, &event, NULL, frame);
}

void darn_message_sent(int fd, const void *frame)
{
    if (darn_recording)
        tell(DARN_EVENT_SEND, darn_os_channel(fd), frame);
}

void darn_message_received(int fd, const void *frame)
{
    if (darn_recording)
        tell(DARN_EVENT_RECEIVE, darn_os_channel(fd), frame);
}

static void signal_sent(const void *frame)
{
    if (darn_recording)
        tell(DARN_EVENT_SEND, SIGNALS, frame);
}

void darn_message_signal(const void *frame)
{
    if (darn_recording)
        tell(DARN_EVENT_RECEIVE, SIGNALS, frame);
    else
        darn_turn_receive();
}

/* result name(parameters) that writes to `fd`: the arguments are those of the real function. */
#define SENDS(result, name, parameters, arguments)                                                 \
    DARN_INTERCEPT(result, name, PARAMETERS parameters)                                            \
    {                                                                                              \
        struct darn_slot *slot = darn_turn_mine(darn_thread_peek());                               \
        darn_message_sent(fd, FRAME);                                                              \
        if (slot)                                                                                  \
            darn_turn_file(slot, fd, POLLOUT, FRAME);                                              \
        return DARN_REAL(name) arguments;                                                          \
    }
#define PARAMETERS(...) __VA_ARGS__

SENDS(ssize_t, write, (int fd, const void *buffer, size_t size), (fd, buffer, size))
SENDS(ssize_t, writev, (int fd, const struct iovec *parts, int count), (fd, parts, count))
SENDS(ssize_t, send, (int fd, const void *buffer, size_t size, int flags),
      (fd, buffer, size, flags))
SENDS(ssize_t, sendto,
      (int fd, const void *buffer, size_t size, int flags, const struct sockaddr *to,
       socklen_t length),
      (fd, buffer, size, flags, to, length))
SENDS(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags))
SENDS(int, eventfd_write, (int fd, eventfd_t value), (fd, value))

DARN_INTERCEPT(int, shutdown, int fd, int how)
{
    darn_message_sent(fd, FRAME);
    return DARN_REAL(shutdown)(fd, how);
}

DARN_INTERCEPT(int, close, int fd)
{
    darn_message_sent(fd, FRAME);
    return DARN_REAL(close)(fd);
}

DARN_INTERCEPT(int, eventfd_read, int fd, eventfd_t *value)
{
    struct darn_slot *slot = darn_turn_mine(darn_thread_peek());
    int result;

    if (slot) {
        darn_turn_file(slot, fd, POLLIN, FRAME);
        return DARN_REAL(eventfd_read)(fd, value);
    }
    result = DARN_WAITING(DARN_REAL(eventfd_read)(fd, value));
    darn_message_received(fd, FRAME);
    return result;
}

/* A signal needs so long to get to a thread that waits. */
#define ARRIVES 200000

#define SIGNALLING(result, name, parameters, arguments)                                            \
    DARN_INTERCEPT(result, name, PARAMETERS parameters)                                            \
    {                                                                                              \
        __typeof__(result) sent;                                                                   \
                                                                                                   \
        signal_sent(FRAME);                                                                        \
        sent = DARN_REAL(name) arguments;                                                          \
        if (darn_turn_mine(darn_thread_peek()))                                                    \
            darn_os_sleep(ARRIVES); /* another thread handles it before we go on */                \
        return sent;                                                                               \
    }

SIGNALLING(int, kill, (pid_t process, int number), (darn_real_pid(process), number))
SIGNALLING(int, raise, (int number), (number))
SIGNALLING(int, pthread_kill, (pthread_t thread, int number), (thread, number))
SIGNALLING(int, sigqueue, (pid_t process, int number, const union sigval value),
           (darn_real_pid(process), number, value))

/* The guard of a local static of C++: the compiler reads it as an atomic, libstdc++ writes it. */
static void guard_access(void *guard, enum darn_event_kind kind, unsigned flags, const void *frame)
{
    struct darn_thread *thread = darn_thread_self();
    struct darn_event event = {.kind = (uint8_t)kind,
                               .target = (uintptr_t)guard,
                               .size = 1,
                               .flags = (uint16_t)(DARN_EVENT_ATOMIC | flags)};

    if (darn_recording && thread)
        darn_record_event(thread, &event, NULL, frame);
}

DARN_INTERCEPT(int, __cxa_guard_acquire, void *guard)
{
    struct darn_thread *thread = darn_thread_self();
    int result;

    if (darn_turn_mine(thread)) {
        darn_turn_once_begin(thread->slot, guard, FRAME);
        result = DARN_REAL(__cxa_guard_acquire)(guard);
        if (!result) /* it is made already */
            darn_turn_once_end(guard);
        return result;
    }
    result = DARN_REAL(__cxa_guard_acquire)(guard);

    guard_access(guard, DARN_EVENT_READ, DARN_EVENT_ACQUIRES, FRAME);
    return result;
}

DARN_INTERCEPT(void, __cxa_guard_release, void *guard)
{
    guard_access(guard, DARN_EVENT_WRITE, DARN_EVENT_RELEASES, FRAME);
    DARN_REAL(__cxa_guard_release)(guard);
    if (darn_turn_mine(darn_thread_self()))
        darn_turn_once_end(guard);
}

DARN_INTERCEPT(void, __cxa_guard_abort, void *guard)
{
    DARN_REAL(__cxa_guard_abort)(guard);
    if (darn_turn_mine(darn_thread_self()))
        darn_turn_once_end(guard);
}

/* Locks on files: who gets one comes after all who had it. Ordinary files count here. */
static void file_locked(int fd, enum darn_event_kind kind, const void *frame)
{
    if (darn_recording)
        tell(kind, darn_os_file_id(fd), frame);
    else if (kind == DARN_EVENT_RECEIVE)
        darn_turn_receive();
}

DARN_INTERCEPT(int, flock, int fd, int operation)
{
    int result;

    file_locked(fd, DARN_EVENT_SEND, FRAME);
    result = DARN_WAITING(DARN_REAL(flock)(fd, operation));
    if (result == 0)
        file_locked(fd, DARN_EVENT_RECEIVE, FRAME);
    return result;
}

DARN_INTERCEPT(int, lockf, int fd, int command, off_t length)
{
    int result;

    file_locked(fd, DARN_EVENT_SEND, FRAME);
    result = DARN_WAITING(DARN_REAL(lockf)(fd, command, length));
    if (result == 0)
        file_locked(fd, DARN_EVENT_RECEIVE, FRAME);
    return result;
}

/* The third argument is a number or a pointer: it is passed on as it came. */
DARN_INTERCEPT(int, fcntl, int fd, int command, ...)
{
    va_list arguments;
    void *argument;
    int result;

    va_start(arguments, command);
    argument = va_arg(arguments, void *);
    va_end(arguments);
    if (command != F_SETLK && command != F_SETLKW && command != F_OFD_SETLK &&
        command != F_OFD_SETLKW)
        return DARN_REAL(fcntl)(fd, command, argument);
    file_locked(fd, DARN_EVENT_SEND, FRAME);
    result = DARN_WAITING(DARN_REAL(fcntl)(fd, command, argument));
    if (result == 0)
        file_locked(fd, DARN_EVENT_RECEIVE, FRAME);
    return result;
}

static void note_handler(bool is_one)
{
    darn_heal_signals |= is_one;
    if (is_one && darn_turns)
        darn_turn_expect_signals();
}

DARN_INTERCEPT(int, sigaction, int number, const struct sigaction *action, struct sigaction *old)
{
    note_handler(action && action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN);
    return DARN_REAL(sigaction)(number, action, old);
}

DARN_INTERCEPT(sighandler_t, signal, int number, sighandler_t handler)
{
    note_handler(handler != SIG_DFL && handler != SIG_IGN);
    return DARN_REAL(signal)(number, handler);
}
