#define _GNU_SOURCE
#include "runtime/control/turn_file.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>

#include "runtime/control/turn_sync.h"
#include "runtime/control/vtime.h"
#include "runtime/interpose/intercept.h"
#include "runtime/os/os.h"

struct files {
    struct pollfd *fds;
    nfds_t count;
};

struct sets {
    int count;
    const fd_set *reads, *writes, *errors;
};

static int poll_now(struct pollfd *fds, nfds_t count)
{
    static int (*real)(struct pollfd * fds, nfds_t count, int timeout);
    int saved = errno, result;

    if (!real)
        real = (int (*)(struct pollfd *, nfds_t, int))darn_real("poll");
    result = real(fds, count, 0);
    errno = saved;
    return result;
}

static bool are_ready(void *argument)
{
    const struct files *files = argument;

    return poll_now(files->fds, files->count) != 0;
}

static uint64_t deadline_of(int64_t timeout)
{
    return timeout < 0 ? DARN_NO_DEADLINE : darn_vtime_now() + (uint64_t)timeout;
}

static bool never_waits(int fd)
{
    static int (*real)(int fd, int command, ...);
    int flags, saved = errno;

    if (!real)
        real = (int (*)(int, int, ...))darn_real("fcntl");
    flags = real(fd, F_GETFL);
    errno = saved;
    return flags < 0 || flags & O_NONBLOCK;
}

void darn_turn_file(struct darn_slot *slot, int fd, short events, const void *frame)
{
    struct pollfd file = {.fd = fd, .events = events};
    struct files files = {&file, 1};

    if (never_waits(fd))
        darn_turn_pass(slot, DARN_STEP_CALL, &darn_turn_world, frame);
    else
        darn_turn_call(slot, &darn_turn_world, are_ready, &files, DARN_NO_DEADLINE, frame);
    if (events & POLLIN && darn_os_channel(fd))
        slot->received = true; /* as in a trace: ordinary files have no messages */
}

void darn_turn_poll(struct darn_slot *slot, struct pollfd *fds, nfds_t count, int64_t timeout,
                    const void *frame)
{
    struct files files = {fds, count};

    darn_turn_call(slot, &darn_turn_world, are_ready, &files, deadline_of(timeout), frame);
}

static bool are_sets_ready(void *argument)
{
    static int (*real)(int count, fd_set *reads, fd_set *writes, fd_set *errors,
                       struct timeval *time);
    const struct sets *sets = argument;
    struct timeval now = {0};
    fd_set reads, writes, errors;
    int result, saved = errno;

    if (!real)
        real = (int (*)(int, fd_set *, fd_set *, fd_set *, struct timeval *))darn_real("select");
    if (sets->reads)
        reads = *sets->reads;
    if (sets->writes)
        writes = *sets->writes;
    if (sets->errors)
        errors = *sets->errors;
    result = real(sets->count, sets->reads ? &reads : NULL, sets->writes ? &writes : NULL,
                  sets->errors ? &errors : NULL, &now);
    errno = saved;
    return result != 0;
}

void darn_turn_select(struct darn_slot *slot, int count, const fd_set *reads, const fd_set *writes,
                      const fd_set *errors, int64_t timeout, const void *frame)
{
    struct sets sets = {count, reads, writes, errors};

    darn_turn_call(slot, &darn_turn_world, are_sets_ready, &sets, deadline_of(timeout), frame);
}
