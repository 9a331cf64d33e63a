/* Messages between threads by way of the system, for the clocks and the trace
 * (intercept_message.c). */
#ifndef DARN_RUNTIME_MESSAGE_H
#define DARN_RUNTIME_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* There is a stream over a pipe or a socket, or there may be: what it carries nobody tells. */
extern volatile bool darn_message_streams;

/* Who opens a pipe that has a name waits for who opens its other end; a file that must not be there
 * is a lock; and one that is there, or not, or that somebody has written to, tells something. */
void darn_message_opens(bool writes, const void *frame);
void darn_message_opened(int fd, bool is_lock, bool writes);
void darn_message_opened_stream(FILE *stream, int fd, bool writes);

/* Before so many bytes are written to the file; and after that has failed. */
void darn_message_sent(int fd, uint64_t size, const void *frame);
void darn_message_refused(void);

/* The same at an offset of an ordinary file; and what the thread is about to read there. */
void darn_message_writes(int fd);
void darn_message_looks(int fd);

/* Before something is read from the file, and after that, with what the first has returned. */
uint64_t darn_message_reads(int fd, const void *frame);
void darn_message_got(int fd, uint64_t file, const void *frame);

/* It can be read, or written to. */
void darn_message_received(int fd, const void *frame);
void darn_message_has_room(int fd, const void *frame);

/* Before the file is closed: the end of what is written, for who reads, and the other way round. */
void darn_message_tell(int fd, const void *frame);

/* After an epoll had something. */
void darn_message_polled(int fd, const void *frame);

/* After a wait for a signal. */
void darn_message_signal(const void *frame);

#endif
