/*
 * The operating system, as system calls of our own: nothing here is an intercepted function,
 * touches errno or takes a lock of libc. Results are those of the kernel: negative for an error.
 */
#ifndef DARN_RUNTIME_OS_H
#define DARN_RUNTIME_OS_H

#include <stddef.h>
#include <stdint.h>

/* Thread and process ids. */
int darn_os_thread_id(void);
int darn_os_process_id(void);

/* Nanoseconds since some moment in the past. */
uint64_t darn_os_now(void);

void darn_os_sleep(uint64_t nanoseconds);
void darn_os_yield(void);

/* Waits while *word is `value`, at most so long; wakes up early now and then. */
void darn_os_wait(const volatile uint32_t *word, uint32_t value, uint64_t nanoseconds);
void darn_os_wake(const volatile uint32_t *word, int threads);

/* Blocks all signals of this thread but those that its own instructions cause, and undoes that. */
uint64_t darn_os_block_signals(void);
void darn_os_restore_signals(uint64_t mask);

/* Zeroed memory of its own, or NULL. */
void *darn_os_allocate(size_t size);

/* Makes waits end on time: the kernel adds 50 microseconds to each by default. */
int darn_os_exact_timing(void); /* returns what to restore */
void darn_os_restore_timing(int slack);

/* The name of the calling thread, at least 16 bytes. */
void darn_os_thread_name(char *name);

/* Writes all of it, as far as that is possible. */
void darn_os_write(int fd, const char *text, size_t length);

/* Reads a whole file, as far as it fits: the number of bytes. */
size_t darn_os_read_file(const char *path, char *to, size_t size);

/* Starts a program with the given standard input, as a child that the program's own wait() does not
 * see and that sends no SIGCHLD. Its id, or negative. */
int darn_os_spawn(const char *path, char *const arguments[], char *const environment[], int input);

/* The exit status of such a child; -1 while it runs, and after a death by signal 128 and the
 * signal. */
int darn_os_reap(int child);

/* Two connected sockets that a new program does not inherit; 0 or negative. */
int darn_os_socketpair(int pair[2]);
/* Like darn_os_write, without SIGPIPE when nobody reads. */
void darn_os_send(int socket, const char *text, size_t length);
void darn_os_end_sending(int socket);
void darn_os_close(int fd);

void darn_os_exit(int status) __attribute__((noreturn));

#endif
