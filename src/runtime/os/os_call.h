/* System calls as such, for os*.c alone. */
#ifndef DARN_RUNTIME_OS_CALL_H
#define DARN_RUNTIME_OS_CALL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>

#if !defined(__x86_64__)
#error "darn runs on x86-64 so far: add the system call of this machine here"
#endif

/* The sixth argument of calls that do not have one: by that a filter tells ours from the program's
 * (os_watch.h). It does not stay in its register, where the program's next call would find it. */
#define DARN_OS_MARK 0x6461726e

static inline long call(long number, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long result;

    __asm__ volatile("syscall\n\txorl %%r9d, %%r9d"
                     : "=a"(result), "+r"(r9)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
                     : "rcx", "r11", "memory");
    return result;
}

#define CALL1(n, a)          call(n, (long)(a), 0, 0, 0, 0, DARN_OS_MARK)
#define CALL2(n, a, b)       call(n, (long)(a), (long)(b), 0, 0, 0, DARN_OS_MARK)
#define CALL3(n, a, b, c)    call(n, (long)(a), (long)(b), (long)(c), 0, 0, DARN_OS_MARK)
#define CALL4(n, a, b, c, d) call(n, (long)(a), (long)(b), (long)(c), (long)(d), 0, DARN_OS_MARK)

/* Only the calls that a filter must allow are made (darn_os_confine). */
extern _Atomic bool darn_os_confined;

/* The processor time of a process or thread, in nanoseconds; UINT64_MAX: nobody knows. */
enum darn_os_clock { DARN_OS_PROCESS = 2, DARN_OS_THREAD = 6 };
uint64_t darn_os_time_used(int id, enum darn_os_clock clock);

#endif
