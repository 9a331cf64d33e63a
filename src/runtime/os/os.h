/*
 * The operating system, as system calls of our own: nothing here is an intercepted function,
 * touches errno or takes a lock of libc. Results are those of the kernel: negative for an error.
 */
#ifndef DARN_RUNTIME_OS_H
#define DARN_RUNTIME_OS_H

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

struct timespec;

/*
 * The program has put a filter on its system calls. From now on we make only those of
 * docs/security.md: what would need others says that it has failed, or finds nothing.
 */
void darn_os_confine(void);

/* Thread and process ids. */
int darn_os_thread_id(void);
int darn_os_process_id(void);
int darn_os_parent_id(void);

/* Nanoseconds since some moment in the past, by this clock_gettime: ours may show virtual time. */
uint64_t darn_os_now(void);
void darn_os_use_clock(int (*clock_gettime)(int clock, struct timespec *now));

/* Nanoseconds since 1970. */
uint64_t darn_os_wall_clock(void);

void darn_os_sleep(uint64_t nanoseconds);
void darn_os_yield(void);

/* A barrier in all threads of the process; costs microseconds. 0, or -1 where there is none. */
int darn_os_barrier_open(void);
void darn_os_barrier(void);

/* Waits while *word is `value`, at most so long; wakes up early now and then. */
void darn_os_wait(const volatile uint32_t *word, uint32_t value, uint64_t nanoseconds);
void darn_os_wake(const volatile uint32_t *word, int threads);

/* Blocks all signals of this thread but those that its own instructions cause, and undoes that. */
uint64_t darn_os_block_signals(void);
void darn_os_restore_signals(uint64_t mask);

/* The same between processes, without an end. */
void darn_os_wait_shared(const volatile uint32_t *word, uint32_t value);
void darn_os_wake_shared(const volatile uint32_t *word);

/* Zeroed memory of its own, or NULL. */
void *darn_os_allocate(size_t size);
void darn_os_free(void *memory, size_t size);

/* Calls back with each piece of such memory, and with the variables of the runtime. */
void darn_os_each_own(void (*visit)(uintptr_t start, uintptr_t end));

/* Which of these pages (as many bytes of `are`, lowest bit) have anything in them: a page that was
 * never touched has not. 0 or negative. */
int darn_os_are_present(uintptr_t start, size_t pages, unsigned char *are);

/* Makes whole pages of such memory all zeroes again, and gives the system what was in them. */
void darn_os_discard(void *start, size_t size);

/* Copies memory that may not be there: how many bytes were, or negative. */
long darn_os_copy(void *to, const void *from, size_t size);

/* Whether there is memory at the address, asked without touching it. */
int darn_os_is_mapped(uintptr_t address);

/* Whether an access to it would not fault, asked without changing it. 1 also where the system does
 * not tell. */
int darn_os_can_access(uintptr_t address, uint64_t size, int writes);

/* Makes waits end on time: the kernel adds 50 microseconds to each by default. */
int darn_os_exact_timing(void); /* returns what to restore */
void darn_os_restore_timing(int slack);

/* The name of the calling thread, at least 16 bytes. */
void darn_os_thread_name(char *name);

/* Writes all of it: 0, or negative when a part is missing. The program gets no SIGXFSZ and no
 * SIGPIPE of it. */
int darn_os_write(int fd, const char *text, size_t length);

/* Appends to a file, which is made if it is not there; 0 or negative, as above. Flags: O_NOFOLLOW
 * for a name that others can guess. */
int darn_os_append(const char *path, int flags, const char *text, size_t length);

/* Reads a whole file, as far as it fits: the number of bytes. Opens it in a process of its own, for
 * the program may count on the numbers of its files. One at a time. */
size_t darn_os_read_file(const char *path, char *to, size_t size);

/* Exit statuses of a program that are not its own: it could not be started; what became of it is
 * not known; it hung and was killed. */
#define DARN_OS_NOT_STARTED 127
#define DARN_OS_LOST        126
#define DARN_OS_HUNG        125

struct darn_os_program {
    const char *path; /* absolute: nothing is searched for */
    char *const *arguments;
    char *const *environment;
    const char *input; /* its standard input */
    size_t length;
    int output, errors;  /* descriptors of ours that are its 1 and 2; negative: nowhere */
    uint64_t idle, most; /* killed when it has done nothing, or has run, for so long: nanoseconds */
};

/* Runs a program, which gets no other file of ours, and returns its exit status. The program under
 * test does not see it: not by wait(), not by SIGCHLD, not in its table of files. One at a time. */
int darn_os_run(const struct darn_os_program *program);

/* Maps a new file of this size, shared; NULL and *error when there is one already or it cannot be
 * made. No descriptor is left. */
void *darn_os_map_new_file(const char *path, size_t size, int *error);

/* The most bytes that a file may have (ulimit -f), and the main thread's stack (ulimit -s). */
uint64_t darn_os_file_limit(void);
uint64_t darn_os_stack_limit(void);

/* The most bytes of addresses that the process may have (ulimit -v). */
uint64_t darn_os_memory_limit(void);

/* Makes sure that there is room on the disk behind a mapped page range: 0 or negative. */
int darn_os_populate(void *start, size_t size);

/* What is behind a file descriptor, for telling whether two lead to the same: 0 for an ordinary
 * file, /dev/null and its kin, or none. Both ends of a pipe have the same, all sockets have, others have one each. */
uint64_t darn_os_channel(int fd);

/* The same, or for an ordinary file or directory a number of its own; 0 for none. */
uint64_t darn_os_file(int fd, bool *is_channel);

/* Whether the channel is a pipe. */
bool darn_os_is_pipe(uint64_t channel);

/* What is there at once. libc's functions are points at which a thread may be cancelled: the
 * scheduler must not be one. -1 on error. */
int darn_os_poll_now(void *fds, unsigned long count);
int darn_os_select_now(int count, void *reads, void *writes, void *errors);

/* Those that have ended and were not asked for count, too: nobody can tell whether they are all. */
int darn_os_has_children(void);

/* Whether it is one of those that the kernel has made up: a timer, inotify, signals, an epoll. */
int darn_os_is_anonymous(int fd);

/* The same for ordinary files. */
uint64_t darn_os_file_id(int fd);

/* Tells what a descriptor leads to, be it what it may: never 0 where it leads to something. */
uint64_t darn_os_identity(int fd);

/* A duplicate with the first free number from `lowest` on, closed by exec; or negative. */
int darn_os_duplicate(int fd, int lowest);

/* How many descriptors the process may have (ulimit -n). */
uint64_t darn_os_descriptor_limit(void);

int darn_os_truncate(const char *path, uint64_t size);

/* Runs work(argument) on the given stack in a process of its own, which has our memory but its own
 * table of files, and returns what it returns. It makes system calls alone. Where that process
 * cannot be had, the work is done in ours. */
int darn_os_elsewhere(int (*work)(void *), void *argument, void *stack, size_t size);

/* Files, for work elsewhere: what it opens is closed with it. */
int darn_os_open(const char *path, int flags); /* a new file has the mode 0666 */
void darn_os_close(int fd);
long darn_os_read(int fd, char *to, size_t size);
long darn_os_list(int fd, void *to,
                  size_t size); /* of a directory: struct dirent64, without gaps */
int darn_os_has_name(int fd);   /* 0: the file was removed */
int darn_os_rename(const char *from, const char *to);
int darn_os_remove(const char *path);

/* Takes the lock of an open file, for as long as that is open. Waits so long at most. */
int darn_os_lock(int fd, uint64_t nanoseconds);

/* Whether a thread that libc has made, and which has run, has ended. */
int darn_os_thread_is_gone(int tid);

/* The processor time of a thread of this process, in nanoseconds; UINT64_MAX: it has ended, or
 * nobody knows. */
uint64_t darn_os_thread_time(int tid);

/* The system call in which the thread of this process waits; less than 0: there is none. */
enum { DARN_OS_RUNS = -1, DARN_OS_UNKNOWN = -2 };
int darn_os_syscall_of(int tid);

/* The processor time of the process, in nanoseconds; UINT64_MAX: nobody knows. */
uint64_t darn_os_process_time(void);

void darn_os_exit(int status) __attribute__((noreturn));

#endif
