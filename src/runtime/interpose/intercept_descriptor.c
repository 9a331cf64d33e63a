/* Calls that use a file descriptor at an offset, or only ask for something. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/interpose/intercept.h"
#include "runtime/interpose/message.h"
#include "runtime/interpose/used.h"

#define FRAME __builtin_frame_address(0)

static inline void uses(int fd, const void *frame)
{
    if (darn_used_is_wanted())
        darn_used_file(darn_thread_peek(), fd, frame);
}

#define USES(result, name, parameters, arguments, before)                                          \
    DARN_INTERCEPT(result, name, PARAMETERS parameters)                                            \
    {                                                                                              \
        uses(fd, FRAME);                                                                           \
        before;                                                                                    \
        return DARN_REAL(name) arguments;                                                          \
    }
#define PARAMETERS(...) __VA_ARGS__
/* Ordinary files alone have offsets: what is read there may be a message. */
#define READS           darn_message_looks(fd)
#define WRITES          darn_message_writes(fd)

USES(ssize_t, pread, (int fd, void *to, size_t size, off_t at), (fd, to, size, at), READS)
USES(ssize_t, pread64, (int fd, void *to, size_t size, off64_t at), (fd, to, size, at), READS)
USES(ssize_t, pwrite, (int fd, const void *from, size_t size, off_t at), (fd, from, size, at),
     WRITES)
USES(ssize_t, pwrite64, (int fd, const void *from, size_t size, off64_t at), (fd, from, size, at),
     WRITES)
USES(ssize_t, preadv, (int fd, const struct iovec *parts, int count, off_t at),
     (fd, parts, count, at), READS)
USES(ssize_t, preadv64, (int fd, const struct iovec *parts, int count, off64_t at),
     (fd, parts, count, at), READS)
USES(ssize_t, pwritev, (int fd, const struct iovec *parts, int count, off_t at),
     (fd, parts, count, at), WRITES)
USES(ssize_t, pwritev64, (int fd, const struct iovec *parts, int count, off64_t at),
     (fd, parts, count, at), WRITES)
USES(off_t, lseek, (int fd, off_t offset, int whence), (fd, offset, whence),
     if (whence == SEEK_END) READS)
USES(off64_t, lseek64, (int fd, off64_t offset, int whence), (fd, offset, whence),
     if (whence == SEEK_END) READS)

/* The third argument is a number or a pointer: it is passed on as it came. */
DARN_INTERCEPT(int, ioctl, int fd, unsigned long request, ...)
{
    va_list arguments;
    void *argument;

    va_start(arguments, request);
    argument = va_arg(arguments, void *);
    va_end(arguments);
    uses(fd, FRAME);
    return DARN_REAL(ioctl)(fd, request, argument);
}
