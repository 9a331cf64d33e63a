#include "driver/process/syscalls.h"

#include <stddef.h>
#include <sys/syscall.h>

static const struct {
    long number;
    const char *name;
} names[] = {
    {SYS_read, "read"},
    {SYS_write, "write"},
    {SYS_poll, "poll"},
    {SYS_readv, "readv"},
    {SYS_writev, "writev"},
    {SYS_select, "select"},
    {SYS_pause, "pause"},
    {SYS_nanosleep, "nanosleep"},
    {SYS_connect, "connect"},
    {SYS_accept, "accept"},
    {SYS_sendto, "sendto"},
    {SYS_recvfrom, "recvfrom"},
    {SYS_sendmsg, "sendmsg"},
    {SYS_recvmsg, "recvmsg"},
    {SYS_wait4, "wait4"},
    {SYS_fcntl, "fcntl"},
    {SYS_flock, "flock"},
    {SYS_futex, "futex"},
    {SYS_clock_nanosleep, "clock_nanosleep"},
    {SYS_epoll_wait, "epoll_wait"},
    {SYS_pselect6, "pselect6"},
    {SYS_ppoll, "ppoll"},
    {SYS_epoll_pwait, "epoll_pwait"},
    {SYS_waitid, "waitid"},
    {SYS_rt_sigtimedwait, "rt_sigtimedwait"},
    {SYS_rt_sigsuspend, "rt_sigsuspend"},
    {SYS_accept4, "accept4"},
    {SYS_msgrcv, "msgrcv"},
    {SYS_msgsnd, "msgsnd"},
    {SYS_semop, "semop"},
    {SYS_semtimedop, "semtimedop"},
    {SYS_open, "open"},
    {SYS_openat, "openat"},
    {SYS_fsync, "fsync"},
    {SYS_fdatasync, "fdatasync"},
    {SYS_splice, "splice"},
    {SYS_tee, "tee"},
    {SYS_preadv, "preadv"},
    {SYS_pwritev, "pwritev"},
    {SYS_recvmmsg, "recvmmsg"},
    {SYS_sendmmsg, "sendmmsg"},
    {SYS_io_getevents, "io_getevents"},
    {SYS_mq_timedreceive, "mq_timedreceive"},
    {SYS_mq_timedsend, "mq_timedsend"},
    {SYS_ioctl, "ioctl"},
};

const char *darn_syscall_name(long number)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (names[i].number == number)
            return names[i].name;
    }
    return NULL;
}
