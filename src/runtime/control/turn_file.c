#define _GNU_SOURCE
#include "runtime/control/turn_file.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>

#include "runtime/control/turn_sync.h"
#include "runtime/control/vtime.h"
#include "runtime/interpose/used.h"
#include "runtime/os/os.h"
#include "runtime/os/real_function.h"

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
    return darn_os_poll_now(fds, count);
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

/* Waits, in the step that was begun. 1, 0 when its time is over, -1 with EINTR. */
static int await(struct darn_slot *slot, bool (*ready)(void *argument), void *argument,
                 uint64_t deadline, enum darn_turn_interrupts interrupts)
{
    slot->interrupts = interrupts;
    if (darn_turn_await(slot, ready, argument, deadline))
        return 1;
    if (slot->timed_out)
        return 0;
    if (!slot->interrupted)
        return 1;
    errno = EINTR;
    return -1;
}

bool darn_turn_file(struct darn_slot *slot, int fd, short events, const void *frame)
{
    struct pollfd file = {.fd = fd, .events = events};
    struct files files = {&file, 1};

    darn_turn_step(slot, DARN_STEP_CALL, &darn_turn_world, frame);
    slot->used = darn_used_file_of(fd);
    slot->what = DARN_OBJECT_DESCRIPTOR;
    if (never_waits(fd))
        darn_turn_take(slot);
    else if (await(slot, are_ready, &files, DARN_NO_DEADLINE, DARN_MAY_RESTART) < 0)
        return false;
    if (events & POLLIN && darn_os_channel(fd))
        slot->received = true; /* as in a trace: ordinary files have no messages */
    return true;
}

int darn_turn_poll(struct darn_slot *slot, struct pollfd *fds, nfds_t count, int64_t timeout,
                   const void *frame)
{
    struct files files = {fds, count};
    int came;

    darn_turn_step(slot, DARN_STEP_CALL, &darn_turn_world, frame);
    came = await(slot, are_ready, &files, deadline_of(timeout), DARN_INTERRUPTED);
    for (nfds_t i = 0; !came && i < count; i++)
        fds[i].revents = 0;
    return came;
}

static bool are_sets_ready(void *argument)
{
    const struct sets *sets = argument;
    fd_set reads, writes, errors;

    if (sets->reads)
        reads = *sets->reads;
    if (sets->writes)
        writes = *sets->writes;
    if (sets->errors)
        errors = *sets->errors;
    return darn_os_select_now(sets->count, sets->reads ? &reads : NULL,
                              sets->writes ? &writes : NULL, sets->errors ? &errors : NULL) != 0;
}

/* Of a set only so many bits are the caller's. */
static void clear(fd_set *set, int count)
{
    for (int fd = 0; set && fd < count; fd++)
        FD_CLR(fd, set);
}

int darn_turn_select(struct darn_slot *slot, int count, fd_set *reads, fd_set *writes,
                     fd_set *errors, int64_t timeout, const void *frame)
{
    struct sets sets = {count, reads, writes, errors};
    int came;

    darn_turn_step(slot, DARN_STEP_CALL, &darn_turn_world, frame);
    came = await(slot, are_sets_ready, &sets, deadline_of(timeout), DARN_INTERRUPTED);
    if (came)
        return came;
    clear(reads, count);
    clear(writes, count);
    clear(errors, count);
    return 0;
}
