/* What is behind a file descriptor. */
#define _GNU_SOURCE
#include <stdint.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/hash.h"
#include "runtime/os/os.h"
#include "runtime/os/os_call.h"
#include "trace/event.h"

#define CHANNEL (UINT64_C(1) << 62) /* no address of the program */

static uint64_t file_id(const struct stat *about)
{
    return CHANNEL | UINT64_C(1) << 32 | (about->st_ino & 0xffffffff);
}

uint64_t darn_os_file_id(int fd)
{
    struct stat about;

    if (CALL2(SYS_fstat, fd, &about) < 0)
        return 0;
    return file_id(&about);
}

uint64_t darn_os_identity(int fd)
{
    struct stat about;

    if (fd < 0 || CALL2(SYS_fstat, fd, &about) < 0)
        return 0;
    return (about.st_ino * DARN_HASH_GOLDEN ^ about.st_dev << 20 ^ about.st_rdev) | 1;
}

#define PIPE (UINT64_C(1) << 31)

/* /dev/null, zero, full, random and urandom: what is written there nobody can read. */
static bool is_silent(dev_t device)
{
    return major(device) == 1 && minor(device) >= 3 && minor(device) <= 9 && minor(device) != 4;
}

static uint64_t channel_of(int fd, const struct stat *about)
{
    if (S_ISFIFO(about->st_mode))
        return CHANNEL | PIPE | (about->st_ino & (PIPE - 1));
    if (S_ISSOCK(about->st_mode))
        return DARN_EVENT_SOCKETS;
    if (!(about->st_mode & S_IFMT)) /* eventfds and their kin: a copy has another number */
        return CHANNEL | 2;
    if (S_ISCHR(about->st_mode) && is_silent(about->st_rdev))
        return 0;
    if (S_ISCHR(about->st_mode)) /* both ends of a pseudo-terminal are one */
        return CHANNEL | 3;
    return S_ISREG(about->st_mode) || S_ISDIR(about->st_mode) ? 0 : CHANNEL | (16 + (uint64_t)fd);
}

uint64_t darn_os_channel(int fd)
{
    struct stat about;

    return CALL2(SYS_fstat, fd, &about) < 0 ? 0 : channel_of(fd, &about);
}

uint64_t darn_os_file(int fd, bool *is_channel)
{
    struct stat about;
    uint64_t channel;

    *is_channel = false;
    if (CALL2(SYS_fstat, fd, &about) < 0)
        return 0;
    channel = channel_of(fd, &about);
    *is_channel = channel;
    return channel ? channel : file_id(&about);
}

bool darn_os_is_pipe(uint64_t channel)
{
    return channel & PIPE;
}

int darn_os_is_anonymous(int fd)
{
    struct stat about;

    return CALL2(SYS_fstat, fd, &about) >= 0 && !(about.st_mode & S_IFMT);
}
