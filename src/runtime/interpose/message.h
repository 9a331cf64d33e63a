/* Messages between threads by way of the system, for the trace (intercept_message.c). */
#ifndef DARN_RUNTIME_MESSAGE_H
#define DARN_RUNTIME_MESSAGE_H

#include <stdbool.h>

/* There is a stream over a pipe or a socket, or there may be: what it carries nobody tells. */
extern volatile bool darn_message_streams;

/* Who opens a pipe that has a name waits for who opens its other end; and a file that must not be
 * there is a lock. */
void darn_message_opens(const void *frame);
void darn_message_opened(int fd, bool is_lock);

/* Before something is written to the file, and after something was read. */
void darn_message_sent(int fd, const void *frame);
void darn_message_received(int fd, const void *frame);

/* Before the file is closed: the end of what is written, for who reads. */
void darn_message_tell(int fd, const void *frame);

/* After an epoll had something. */
void darn_message_polled(int fd, const void *frame);

/* After a wait for a signal. */
void darn_message_signal(const void *frame);

#endif
