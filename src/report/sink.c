#include "report/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/text_pool.h"

static int open_to_append(const char *path, int flags)
{
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | flags, 0666);

    return fd < 0 ? -errno : fd;
}

int darn_sink_open(const char *log_path, int64_t pid)
{
    struct darn_text_pool pool = {0};
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

/* Half a line would spoil the next one. What others have appended meanwhile stays. */
static void take_back(int fd, off_t before)
{
    struct stat about;
    off_t end = lseek(fd, 0, SEEK_CUR);

    if (end > before && fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_size == end)
        (void)!ftruncate(fd, before);
}

int darn_sink_append(const char *path, const char *text, size_t length)
{
    int fd = open_to_append(path, 0);
    off_t before;
    int result;

    if (fd < 0)
        return fd;
    before = lseek(fd, 0, SEEK_END);
    result = darn_sink_write(fd, text, length);
    if (result && before >= 0)
        take_back(fd, before);
    /* Some file systems tell only now that the disk is full. */
    if (close(fd) && !result && errno != EINTR)
        result = -errno;
    return result;
}
