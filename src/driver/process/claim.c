#include "driver/process/claim.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "driver/process/listener.h"

/* A command that was killed first ends all that it has started (guard.h), and the runtime locks the
 * directory of a profile while it writes there. */
#define PATIENCE_MS 500
#define TICK_MS     10
#define MOST_TIMES  100

/* 0 or a negative errno. */
static int take(int fd)
{
    const struct timespec tick = {0, TICK_MS * 1000000};
    int result = 0;

    for (int waited = 0; waited <= PATIENCE_MS; waited += TICK_MS) {
        result = flock(fd, LOCK_EX | LOCK_NB) ? -errno : 0;
        if (result != -EWOULDBLOCK)
            break;
        nanosleep(&tick, NULL);
    }
    return result;
}

static int refuse(struct darn_listener *listener, const char *path)
{
    return darn_tell_refusal(listener,
                             "%s is being written by another darn; wait for its end, or name "
                             "another one",
                             path);
}

int darn_claim_directory(struct darn_listener *listener, const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd >= 0 && take(fd) == -EWOULDBLOCK) {
        close(fd);
        return refuse(listener, path);
    }
    return 0; /* the descriptor stays open */
}

/* A file that is replaced is no place for a lock; one beside it is: `.NAME.lock`. */
static char lock_path[PATH_MAX];

static void remove_lock(void)
{
    unlink(lock_path);
}

/* Whoever had the lock has removed the file: then it must be taken again. 0 or a negative errno. */
static int open_and_take(void)
{
    struct stat here, there;

    for (int i = 0; i < MOST_TIMES; i++) {
        int fd = open(lock_path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
        int result = fd < 0 ? -errno : take(fd);

        if (!result && fstat(fd, &here) == 0 && lstat(lock_path, &there) == 0 &&
            here.st_ino == there.st_ino)
            return 0; /* the descriptor stays open */
        if (fd >= 0)
            close(fd);
        if (result)
            return result;
    }
    return -EWOULDBLOCK;
}

int darn_claim_file(struct darn_listener *listener, const char *path)
{
    char target[PATH_MAX];
    const char *real = realpath(path, target) ? target : path, *slash = strrchr(real, '/');
    int directory = slash ? (int)(slash + 1 - real) : 0, result;

    if (*lock_path || snprintf(lock_path, sizeof(lock_path), "%.*s.%s.lock", directory, real,
                               real + directory) >= (int)sizeof(lock_path))
        return 0;
    result = open_and_take();
    if (result == -EWOULDBLOCK)
        return refuse(listener, path);
    if (!result)
        atexit(remove_lock);
    return 0;
}
