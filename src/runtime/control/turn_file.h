/* Controlled threads that wait for files: pipes, sockets and so on. */
#ifndef DARN_RUNTIME_TURN_FILE_H
#define DARN_RUNTIME_TURN_FILE_H

#include <poll.h>
#include <sys/select.h>

#include "runtime/control/turn.h"

/*
 * Waits until the file can be read (POLLIN) or written (POLLOUT) without waiting; at once if it
 * never waits. The call that follows is made with the turn: what threads send each other through
 * pipes comes in the same order in every run of a schedule. False, with EINTR, when a handler has
 * run instead; so do the others.
 */
bool darn_turn_file(struct darn_slot *slot, int fd, short events, const void *frame);

/* Waits as poll does. 1: the caller polls then without waiting. 0: its time is over, and nothing has
 * come; so it is, whatever comes right now. -1 with EINTR. A negative timeout, in nanoseconds, is
 * none. */
int darn_turn_poll(struct darn_slot *slot, struct pollfd *fds, nfds_t count, int64_t timeout,
                   const void *frame);

/* The same for select; at most FD_SETSIZE files. */
int darn_turn_select(struct darn_slot *slot, int count, fd_set *reads, fd_set *writes,
                     fd_set *errors, int64_t timeout, const void *frame);

#endif
