#define _GNU_SOURCE
#include "base/hash.h"
#include "runtime/os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>

#include "runtime/os/os_call.h"

_Atomic bool darn_os_confined;

void darn_os_confine(void)
{
    atomic_store(&darn_os_confined, true);
}

static struct timespec timespec_of(uint64_t nanoseconds)
{
    return (struct timespec){.tv_sec = (time_t)(nanoseconds / 1000000000),
                             .tv_nsec = (long)(nanoseconds % 1000000000)};
}

int darn_os_thread_id(void)
{
    return (int)CALL1(SYS_gettid, 0);
}

int darn_os_process_id(void)
{
    return (int)CALL1(SYS_getpid, 0);
}

/* The first thread stays as a zombie, but loses its list of robust mutexes, which libc gives to
 * every thread. */
int darn_os_thread_is_gone(int tid)
{
    void *list = &list;
    size_t size;
    long result = CALL3(SYS_get_robust_list, tid, &list, &size);

    return result == -ESRCH || (result == 0 && !list && tid == darn_os_process_id());
}

/* libc's goes to the vdso: no system call, no lock, no errno when it succeeds. */
static int (*clock_of_libc)(int clock, struct timespec *now);

void darn_os_use_clock(int (*clock_gettime)(int clock, struct timespec *now))
{
    clock_of_libc = clock_gettime;
}

static uint64_t read_clock(int clock)
{
    struct timespec now;

    if (clock_of_libc)
        clock_of_libc(clock, &now);
    else
        CALL2(SYS_clock_gettime, clock, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t darn_os_now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

uint64_t darn_os_wall_clock(void)
{
    return read_clock(CLOCK_REALTIME);
}

/* A futex that nobody wakes: one kind of call less that a filter must allow. */
void darn_os_sleep(uint64_t nanoseconds)
{
    const volatile uint32_t nobody = 0;

    darn_os_wait(&nobody, 0, nanoseconds);
}

void darn_os_yield(void)
{
    CALL1(SYS_sched_yield, 0);
}

/* MEMBARRIER_CMD_PRIVATE_EXPEDITED, and its registration: linux/membarrier.h. */
enum { BARRIER = 1 << 3, BARRIER_REGISTER = 1 << 4 };

int darn_os_barrier_open(void)
{
    return CALL3(SYS_membarrier, BARRIER_REGISTER, 0, 0) ? -1 : 0;
}

void darn_os_barrier(void)
{
    CALL3(SYS_membarrier, BARRIER, 0, 0);
}

void darn_os_wait(const volatile uint32_t *word, uint32_t value, uint64_t nanoseconds)
{
    struct timespec time = timespec_of(nanoseconds);

    CALL4(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &time);
}

void darn_os_wake(const volatile uint32_t *word, int threads)
{
    CALL3(SYS_futex, word, FUTEX_WAKE_PRIVATE, threads);
}

void darn_os_wait_shared(const volatile uint32_t *word, uint32_t value)
{
    CALL4(SYS_futex, word, FUTEX_WAIT, value, NULL);
}

void darn_os_wake_shared(const volatile uint32_t *word)
{
    CALL3(SYS_futex, word, FUTEX_WAKE, 1);
}

static uint64_t bit(int signal)
{
    return UINT64_C(1) << (signal - 1);
}

uint64_t darn_os_block_signals(void)
{
    uint64_t old = 0;
    uint64_t all =
        ~(bit(SIGSEGV) | bit(SIGBUS) | bit(SIGFPE) | bit(SIGILL) | bit(SIGTRAP) | bit(SIGSYS));

    CALL4(SYS_rt_sigprocmask, SIG_BLOCK, &all, &old, sizeof(old));
    return old;
}

void darn_os_restore_signals(uint64_t mask)
{
    CALL4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof(mask));
}

long darn_os_copy(void *to, const void *from, size_t size)
{
    struct iovec here = {to, size}, there = {(void *)(uintptr_t)from, size};

    if (darn_os_confined)
        return -EPERM;
    return call(SYS_process_vm_readv, darn_os_process_id(), (long)&here, 1, (long)&there, 1, 0);
}

int darn_os_is_mapped(uintptr_t address)
{
    return !darn_os_confined && CALL3(SYS_msync, address & ~UINT64_C(4095), 4096, MS_ASYNC) >= 0;
}

/* What a write would say: the kernel makes an atomic one that changes no bit. Of what it compares
 * with, and whom it would wake for that, nothing matters. */
static long write_nothing(uintptr_t address)
{
    static uint32_t nobody_waits_here;

    return call(SYS_futex, (long)&nobody_waits_here, FUTEX_WAKE_OP_PRIVATE, 1, 1,
                (long)(address & ~UINT64_C(3)), FUTEX_OP(FUTEX_OP_OR, 0, FUTEX_OP_CMP_EQ, 2047));
}

static int can_access(uintptr_t address, int writes)
{
    char byte;

    return (writes ? write_nothing(address) : darn_os_copy(&byte, (const void *)address, 1)) !=
           -EFAULT;
}

int darn_os_can_access(uintptr_t address, uint64_t size, int writes)
{
    uintptr_t last = address + (size ? size - 1 : 0);

    return can_access(address, writes) &&
           (last / 4096 == address / 4096 || can_access(last, writes));
}

int darn_os_exact_timing(void)
{
    int slack = darn_os_confined ? 0 : (int)CALL1(SYS_prctl, PR_GET_TIMERSLACK);

    if (slack > 0)
        CALL2(SYS_prctl, PR_SET_TIMERSLACK, 1);
    return slack;
}

void darn_os_restore_timing(int slack)
{
    if (slack > 0)
        CALL2(SYS_prctl, PR_SET_TIMERSLACK, slack);
}

void darn_os_thread_name(char *name)
{
    name[0] = '\0';
    if (!darn_os_confined)
        CALL2(SYS_prctl, PR_GET_NAME, name);
}

/*
 * What we write raises no signal in the program: SIGXFSZ where a file may not grow (ulimit -f),
 * SIGPIPE where nobody reads any more. Either comes to the thread that made the call: it is held
 * back meanwhile and taken out, unless one was pending before, which is the program's.
 */
static long quietly(long number, long a, long b, long c)
{
    const struct timespec at_once = {0, 0};
    uint64_t both = bit(SIGXFSZ) | bit(SIGPIPE), old = 0, pending = 0, raised;
    long result;

    CALL4(SYS_rt_sigprocmask, SIG_BLOCK, &both, &old, sizeof(old));
    if (old & both && !darn_os_confined)
        CALL2(SYS_rt_sigpending, &pending, sizeof(pending));
    result = CALL3(number, a, b, c);
    raised = result == -EFBIG ? bit(SIGXFSZ) : result == -EPIPE ? bit(SIGPIPE) : 0;
    if (raised & ~pending)
        CALL4(SYS_rt_sigtimedwait, &raised, NULL, &at_once, sizeof(raised));
    if ((old & both) != both)
        CALL4(SYS_rt_sigprocmask, SIG_SETMASK, &old, NULL, sizeof(old));
    return result;
}

int darn_os_write(int fd, const char *text, size_t length)
{
    while (length) {
        long written = quietly(SYS_write, fd, (long)text, (long)length);

        if (written == -EINTR)
            continue;
        if (written <= 0)
            return written ? (int)written : -EIO;
        text += written;
        length -= (size_t)written;
    }
    return 0;
}

int darn_os_append(const char *path, int flags, const char *text, size_t length)
{
    int fd = darn_os_open(path, O_WRONLY | O_APPEND | O_CREAT | flags);
    int result;

    if (fd < 0)
        return fd;
    result = darn_os_write(fd, text, length);
    CALL1(SYS_close, fd);
    return result;
}

void *darn_os_map_new_file(const char *path, size_t size, int *error)
{
    int fd = (int)CALL4(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    long result = fd;

    if (fd >= 0) {
        result = quietly(SYS_ftruncate, fd, (long)size, 0);
        if (result >= 0)
            result = call(SYS_mmap, 0, (long)size, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_NORESERVE, fd, 0);
        CALL1(SYS_close, fd);
        if (result < 0 && result > -4096)
            CALL3(SYS_unlinkat, AT_FDCWD, path, 0);
    }
    *error = result < 0 && result > -4096 ? (int)result : 0;
    return *error ? NULL : (void *)result;
}

static uint64_t limit_of(int resource)
{
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};

    if (!darn_os_confined)
        CALL4(SYS_prlimit64, 0, resource, NULL, &limit);
    return limit.rlim_cur;
}

uint64_t darn_os_file_limit(void)
{
    return limit_of(RLIMIT_FSIZE);
}

uint64_t darn_os_descriptor_limit(void)
{
    return limit_of(RLIMIT_NOFILE);
}

uint64_t darn_os_memory_limit(void)
{
    return limit_of(RLIMIT_AS);
}

uint64_t darn_os_stack_limit(void)
{
    return limit_of(RLIMIT_STACK);
}

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

int darn_os_populate(void *start, size_t size)
{
    int result = (int)CALL3(SYS_madvise, start, size, MADV_POPULATE_WRITE);

    return result == -EINVAL ? 0 : result; /* a kernel before 5.14 cannot say */
}

int darn_os_duplicate(int fd, int lowest)
{
    return (int)CALL3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, lowest);
}

int darn_os_truncate(const char *path, uint64_t size)
{
    return (int)CALL2(SYS_truncate, path, size);
}

int darn_os_syscall_of(int tid)
{
    char path[64] = "/proc/self/task/", text[64];
    size_t at = strlen(path);
    long fd, got;
    int number = 0;

    for (int digits = 1000000000; digits; digits /= 10) {
        if (tid >= digits)
            path[at++] = (char)('0' + tid / digits % 10);
    }
    strcpy(path + at, "/syscall");
    fd = darn_os_open(path, O_RDONLY);
    if (fd < 0)
        return DARN_OS_UNKNOWN;
    got = CALL3(SYS_read, fd, text, sizeof(text));
    CALL1(SYS_close, fd);
    if (got <= 0)
        return DARN_OS_UNKNOWN;
    if (text[0] < '0' || text[0] > '9')
        return DARN_OS_RUNS; /* "running" */
    for (int i = 0; i < got && text[i] >= '0' && text[i] <= '9'; i++)
        number = number * 10 + text[i] - '0';
    return number;
}

void darn_os_exit(int status)
{
    for (;;)
        CALL1(SYS_exit_group, status);
}

/* Such clocks have a number that is made of that of the process, or thread: pthread_getcpuclockid.
 */
uint64_t darn_os_time_used(int id, enum darn_os_clock clock)
{
    struct timespec used = {0, 0};

    if (darn_os_confined ||
        CALL2(SYS_clock_gettime, (int)(~(unsigned)id << 3) | (int)clock, &used) < 0)
        return UINT64_MAX;
    return (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
}

uint64_t darn_os_thread_time(int tid)
{
    return darn_os_time_used(tid, DARN_OS_THREAD);
}

uint64_t darn_os_process_time(void)
{
    return darn_os_time_used(darn_os_process_id(), DARN_OS_PROCESS);
}

int darn_os_open(const char *path, int flags)
{
    if (darn_os_confined)
        return -EPERM;
    return (int)CALL4(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0666);
}

void darn_os_close(int fd)
{
    CALL1(SYS_close, fd);
}

long darn_os_read(int fd, char *to, size_t size)
{
    return CALL3(SYS_read, fd, to, size);
}

int darn_os_has_name(int fd)
{
    struct stat about;

    return CALL2(SYS_fstat, fd, &about) < 0 || about.st_nlink > 0;
}

int darn_os_rename(const char *from, const char *to)
{
    return (int)CALL2(SYS_rename, from, to);
}

int darn_os_remove(const char *path)
{
    return (int)CALL1(SYS_unlink, path);
}

int darn_os_lock(int fd, uint64_t nanoseconds)
{
    uint64_t end = darn_os_now() + nanoseconds;

    for (;;) {
        int result = (int)CALL2(SYS_flock, fd, LOCK_EX | LOCK_NB);

        if (result != -EWOULDBLOCK || darn_os_now() > end)
            return result;
        darn_os_sleep(1000000);
    }
}
