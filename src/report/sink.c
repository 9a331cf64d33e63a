#include "report/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "report/pool.h"

static int open_to_append(const char *path, int flags)
{
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | flags, 0666);

    return fd < 0 ? -errno : fd;
}

int darn_sink_open(const char *log_path, int64_t pid)
{
    struct darn_pool pool = {NULL};
    int fd;

    if (!log_path || !*log_path || strcmp(log_path, "stderr") == 0)
        return STDERR_FILENO;
    if (strcmp(log_path, "stdout") == 0)
        return STDOUT_FILENO;
    /* A name of ours, which others can guess: no link that somebody has put there. */
    fd = open_to_append(darn_pool_format(&pool, "%s.%" PRId64, log_path, pid), O_NOFOLLOW);
    darn_pool_release(&pool);
    return fd;
}

int darn_sink_write(int fd, const char *text, size_t length)
{
    while (length) {
        ssize_t written = write(fd, text, length);

        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return -errno;
        text += written;
        length -= (size_t)written;
    }
    return 0;
}

int darn_sink_append(const char *path, const char *text, size_t length)
{
    int fd = open_to_append(path, 0);
    int result;

    if (fd < 0)
        return fd;
    result = darn_sink_write(fd, text, length);
    /* Some file systems tell only now that the disk is full. */
    if (close(fd) && !result && errno != EINTR)
        result = -errno;
    return result;
}
