/*
 * What carries a message from one thread to another without being made for threads: pipes, sockets,
 * eventfds, signals, and the guards of C++'s local statics. Only a trace wants to know.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/control/inputs.h"
#include "runtime/control/turn_file.h"
#include "runtime/interpose/channel.h"
#include "runtime/interpose/intercept.h"
#include "runtime/interpose/message.h"
#include "runtime/interpose/used.h"
#include "runtime/order/ordering.h"
#include "runtime/os/os.h"
#include "runtime/record/record.h"
#include "runtime/record/record_ends.h"
#include "runtime/state.h"

#define FRAME __builtin_frame_address(0)

/* No addresses of the program. */
#define SIGNALS (UINT64_C(1) << 61)
#define MADE    (UINT64_C(1) << 57) /* files */
#define POLLED  DARN_EVENT_POLLED

/* Whether signals are read from a descriptor, and news of the kernel: of a timer, of inotify. */
static volatile bool has_signalfd, has_kernel_news;

volatile bool darn_message_streams;

static void tell(enum darn_event_kind kind, uint64_t target, const void *frame)
{
    struct darn_thread *thread = target ? darn_thread_self() : NULL;
    struct darn_event event = {.kind = (uint8_t)kind, .target = target};

    if (thread)
        darn_record_event(thread, &event, NULL, frame);
}

static void use(int fd, const void *frame)
{
    struct darn_thread *thread = darn_used_is_wanted() ? darn_thread_peek() : NULL;

    if (thread)
        darn_used_file(thread, fd, frame);
}

/* Who fills a channel comes after who has made room in it. */
void darn_message_sent(int fd, uint64_t size, const void *frame)
{
    bool is_channel = false;
    uint64_t file;

    use(fd, frame);
    file = darn_events_wanted() ? darn_os_file(fd, &is_channel) : 0;
    if (file && !is_channel)
        darn_channel_write(file);
    if (!is_channel)
        return;
    tell(DARN_EVENT_SEND, file, frame);
    if (darn_channel_is_polled(file, DARN_CHANNEL_POLLED))
        tell(DARN_EVENT_SEND, POLLED, frame);
    if (!darn_os_is_pipe(file)) /* that it works: there is a socket now that others have made */
        darn_order_later(darn_thread_peek(), DARN_EVENT_OUTSIDE);
    if (darn_channel_fills(file, size))
        darn_order_later(darn_thread_peek(), darn_channel_room(file));
}

void darn_message_tell(int fd, const void *frame)
{
    uint64_t channel = darn_events_wanted() ? darn_os_channel(fd) : 0;

    tell(DARN_EVENT_SEND, channel, frame);
    if (channel)
        tell(DARN_EVENT_SEND, darn_channel_room(channel), frame);
    if (channel && darn_channel_is_polled(channel, DARN_CHANNEL_POLLED))
        tell(DARN_EVENT_SEND, POLLED, frame);
}

static void after_all(void)
{
    struct darn_thread *thread = darn_ordering ? darn_thread_peek() : NULL;

    if (thread)
        darn_order_after_all(thread);
}

/* That the other end is closed, who has closed it has told. */
void darn_message_refused(void)
{
    if (darn_events_wanted())
        after_all();
}

void darn_message_writes(int fd)
{
    bool is_channel;
    uint64_t file = darn_events_wanted() ? darn_os_file(fd, &is_channel) : 0;

    if (file && !is_channel)
        darn_channel_write(file);
}

/* It comes into force with the next thing that the thread does. */
void darn_message_looks(int fd)
{
    bool is_channel;
    uint64_t file = darn_events_wanted() ? darn_os_file(fd, &is_channel) : 0;

    if (file && darn_channel_is_written(file))
        after_all();
}

uint64_t darn_message_reads(int fd, const void *frame)
{
    bool is_channel = false;
    uint64_t file = darn_events_wanted() ? darn_os_file(fd, &is_channel) : 0;

    if (is_channel)
        tell(DARN_EVENT_SEND, darn_channel_room(file), frame);
    if (is_channel && darn_channel_is_polled(file, DARN_CHANNEL_POLLED_FOR_ROOM))
        tell(DARN_EVENT_SEND, POLLED, frame);
    return file;
}

static void receive(int fd, uint64_t channel, const void *frame)
{
    use(fd, frame);
    darn_order_told_by_process();
    tell(DARN_EVENT_RECEIVE, channel, frame);
    tell(DARN_EVENT_RECEIVE, DARN_EVENT_OUTSIDE, frame); /* splice, and whatever else sends */
    if (has_signalfd)
        tell(DARN_EVENT_RECEIVE, SIGNALS, frame);
}

void darn_message_got(int fd, uint64_t file, const void *frame)
{
    if (!darn_events_wanted())
        return;
    receive(fd, file, frame);
    /* A timer, a file that has changed: who was the reason is not known. */
    if (darn_message_streams || (has_kernel_news && darn_os_is_anonymous(fd)) ||
        (file && darn_channel_is_written(file)))
        after_all();
}

void darn_message_received(int fd, const void *frame)
{
    bool is_channel;

    if (darn_events_wanted())
        darn_message_got(fd, darn_os_file(fd, &is_channel), frame);
}

void darn_message_has_room(int fd, const void *frame)
{
    uint64_t channel = darn_events_wanted() ? darn_os_channel(fd) : 0;

    if (channel && darn_channel_may_be_full(channel))
        tell(DARN_EVENT_RECEIVE, darn_channel_room(channel), frame);
}

void darn_message_polled(int fd, const void *frame)
{
    if (!darn_events_wanted())
        return;
    receive(fd, darn_os_channel(fd), frame);
    tell(DARN_EVENT_RECEIVE, POLLED, frame);
}

void darn_message_opens(bool writes, const void *frame)
{
    if (darn_events_wanted())
        tell(DARN_EVENT_SEND, DARN_EVENT_OUTSIDE, frame);
    if (darn_events_wanted() && writes) /* it may be there before it is known which one it is */
        tell(DARN_EVENT_SEND, MADE, frame);
}

/* Also that a file is not there may be a message. */
void darn_message_opened(int fd, bool is_lock, bool writes)
{
    bool is_channel;
    uint64_t file = darn_os_file(fd, &is_channel);

    if (!file || is_lock || is_channel || darn_channel_is_written(file))
        after_all();
    else if (darn_events_wanted())
        darn_order_later(darn_thread_peek(), MADE);
    if (is_channel) /* who has the other end nobody knows */
        darn_channel_fills(file, DARN_CHANNEL_ANY);
    else if (file && writes)
        darn_channel_write(file);
}

void darn_message_opened_stream(FILE *stream, int fd, bool writes)
{
    bool is_channel = false;
    uint64_t file;

    file = darn_os_file(fd, &is_channel);
    darn_message_opened(fd, false, writes);
    darn_message_streams |= is_channel;
    if (stream)
        darn_channel_stream(stream, is_channel ? 0 : file);
}

static void signal_sent(const void *frame)
{
    if (darn_events_wanted())
        tell(DARN_EVENT_SEND, SIGNALS, frame);
}

void darn_message_signal(const void *frame)
{
    if (darn_events_wanted()) {
        tell(DARN_EVENT_RECEIVE, SIGNALS, frame);
        if (darn_thread_peek()) /* a timer, a queue or a file may have sent it */
            darn_order_after_all(darn_thread_peek());
    } else {
        darn_turn_receive();
    }
}

/* result name(parameters) that writes so many bytes to `fd`: the arguments are those of the real
 * function. */
#define SENDS(result, name, parameters, arguments, bytes)                                          \
    DARN_INTERCEPT(result, name, PARAMETERS parameters)                                            \
    {                                                                                              \
        struct darn_slot *slot = darn_turn_mine(darn_thread_peek());                               \
        result sent;                                                                               \
                                                                                                   \
        if (slot && !darn_turn_file(slot, fd, POLLOUT, FRAME))                                     \
            return -1;                                                                             \
        if (slot)                                                                                  \
            return DARN_REAL(name) arguments;                                                      \
        darn_message_sent(fd, bytes, FRAME);                                                       \
        sent = DARN_REAL(name) arguments;                                                          \
        if (sent < 0)                                                                              \
            darn_message_refused();                                                                \
        return sent;                                                                               \
    }
#define PARAMETERS(...) __VA_ARGS__

SENDS(ssize_t, write, (int fd, const void *buffer, size_t size), (fd, buffer, size), size)
SENDS(ssize_t, writev, (int fd, const struct iovec *parts, int count), (fd, parts, count),
      DARN_CHANNEL_ANY)
SENDS(ssize_t, pwritev2, (int fd, const struct iovec *parts, int count, off_t at, int flags),
      (fd, parts, count, at, flags), DARN_CHANNEL_ANY)
SENDS(ssize_t, pwritev64v2, (int fd, const struct iovec *parts, int count, off64_t at, int flags),
      (fd, parts, count, at, flags), DARN_CHANNEL_ANY)
SENDS(ssize_t, send, (int fd, const void *buffer, size_t size, int flags),
      (fd, buffer, size, flags), size)
SENDS(ssize_t, sendto,
      (int fd, const void *buffer, size_t size, int flags, const struct sockaddr *to,
       socklen_t length),
      (fd, buffer, size, flags, to, length), size)
SENDS(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags),
      DARN_CHANNEL_ANY)
SENDS(int, sendmmsg, (int fd, struct mmsghdr *messages, unsigned count, int flags),
      (fd, messages, count, flags), DARN_CHANNEL_ANY)
SENDS(int, eventfd_write, (int fd, eventfd_t value), (fd, value), sizeof(value))
SENDS(int, vdprintf, (int fd, const char *format, va_list arguments), (fd, format, arguments),
      DARN_CHANNEL_ANY)

DARN_INTERCEPT(int, dprintf, int fd, const char *format, ...)
{
    va_list arguments;
    int result;

    va_start(arguments, format);
    result = vdprintf(fd, format, arguments);
    va_end(arguments);
    return result;
}

/* Who adds a descriptor tells whoever gets it from epoll_wait; so does, from then on, who writes to
 * it. */
DARN_INTERCEPT(int, epoll_ctl, int fd, int operation, int about, struct epoll_event *event)
{
    uint64_t channel = darn_events_wanted() ? darn_os_channel(about) : 0;

    if (channel)
        darn_channel_poll(channel, DARN_CHANNEL_POLLED);
    if (channel && event && event->events & EPOLLOUT)
        darn_channel_poll(channel, DARN_CHANNEL_POLLED_FOR_ROOM);
    darn_message_sent(fd, 0, FRAME);
    if (channel) /* what was sent to it before */
        tell(DARN_EVENT_RECEIVE, channel, FRAME), tell(DARN_EVENT_SEND, POLLED, FRAME);
    return DARN_REAL(epoll_ctl)(fd, operation, about, event);
}

DARN_INTERCEPT(int, signalfd, int fd, const sigset_t *signals, int flags)
{
    has_signalfd = true;
    return DARN_REAL(signalfd)(fd, signals, flags);
}

/* A descriptor by which the kernel tells what others have brought about. */
#define BRINGS_NEWS(name, parameters, arguments)                                                   \
    DARN_INTERCEPT(int, name, PARAMETERS parameters)                                               \
    {                                                                                              \
        has_kernel_news = true;                                                                    \
        return DARN_REAL(name) arguments;                                                          \
    }

BRINGS_NEWS(timerfd_create, (int clock, int flags), (clock, flags))
BRINGS_NEWS(inotify_init, (void), ())
BRINGS_NEWS(inotify_init1, (int flags), (flags))

DARN_INTERCEPT(int, shutdown, int fd, int how)
{
    darn_message_sent(fd, 0, FRAME);
    return DARN_REAL(shutdown)(fd, how);
}

DARN_INTERCEPT(int, eventfd_read, int fd, eventfd_t *value)
{
    struct darn_slot *slot = darn_turn_mine(darn_thread_peek());
    uint64_t channel;
    int result;

    if (slot)
        return darn_turn_file(slot, fd, POLLIN, FRAME) ? DARN_REAL(eventfd_read)(fd, value) : -1;
    channel = darn_message_reads(fd, FRAME);
    result = DARN_WAITING(DARN_REAL(eventfd_read)(fd, value));
    darn_message_got(fd, channel, FRAME);
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

    if (darn_events_wanted() && thread)
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
    guard_access(guard, DARN_EVENT_WRITE, DARN_EVENT_RELEASES, FRAME); /* to who tries next */
    DARN_REAL(__cxa_guard_abort)(guard);
    if (darn_turn_mine(darn_thread_self()))
        darn_turn_once_end(guard);
}

/* Locks on files: who gets one comes after all who had it. Ordinary files count here. */
static void file_locked(int fd, enum darn_event_kind kind, const void *frame)
{
    if (darn_events_wanted())
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
    use(fd, FRAME);
    if (command != F_SETLK && command != F_SETLKW && command != F_OFD_SETLK &&
        command != F_OFD_SETLKW)
        return DARN_REAL(fcntl)(fd, command, argument);
    file_locked(fd, DARN_EVENT_SEND, FRAME);
    result = DARN_WAITING(DARN_REAL(fcntl)(fd, command, argument));
    if (result == 0)
        file_locked(fd, DARN_EVENT_RECEIVE, FRAME);
    return result;
}
