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

static inline long call(long number, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

#define CALL1(n, a)          call(n, (long)(a), 0, 0, 0, 0, 0)
#define CALL2(n, a, b)       call(n, (long)(a), (long)(b), 0, 0, 0, 0)
#define CALL3(n, a, b, c)    call(n, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define CALL4(n, a, b, c, d) call(n, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)

/* Only the calls that a filter must allow are made (darn_os_confine). */
extern _Atomic bool darn_os_confined;

/* The processor time of a process or thread, in nanoseconds; UINT64_MAX: nobody knows. */
enum darn_os_clock { DARN_OS_PROCESS = 2, DARN_OS_THREAD = 6 };
uint64_t darn_os_time_used(int id, enum darn_os_clock clock);

#endif
