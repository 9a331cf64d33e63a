#include "base/draft.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX    ".tmp"
#define LONGEST   200 /* bytes of the name that a draft takes over: a name has at most 255 */
#define MOST_LOST 100 /* times that a sweep takes a draft for a left one before it is locked */

/* "dir/" of "dir/file"; "" of "file". */
static size_t directory_length(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? (size_t)(slash + 1 - path) : 0;
}

static void set_mode(int fd, const char *path)
{
    struct stat old;
    mode_t mask;

    if (stat(path, &old) == 0) {
        fchmod(fd, old.st_mode & 0777);
        return;
    }
    mask = umask(0);
    umask(mask);
    fchmod(fd, 0666 & ~mask);
}

/* A new file that is ours, or a negative errno. */
static int make(struct darn_draft *draft, size_t directory)
{
    struct stat about;
    int fd;

    for (int i = 0; i < MOST_LOST; i++) {
        if (snprintf(draft->path, sizeof(draft->path), "%.*s.%.*s.XXXXXX" SUFFIX, (int)directory,
                     draft->to, LONGEST, draft->to + directory) >= (int)sizeof(draft->path))
            return -ENAMETOOLONG;
        fd = mkostemps(draft->path, (int)strlen(SUFFIX), O_CLOEXEC); /* O_EXCL follows no link */
        if (fd < 0)
            return -errno;
        /* Not to get the lock is no error: some file systems have none. */
        if ((flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) && fstat(fd, &about) == 0 &&
            about.st_nlink)
            return fd;
        close(fd);
    }
    return -EBUSY;
}

int darn_draft_open(struct darn_draft *draft, const char *path, bool secret)
{
    int fd;

    if (snprintf(draft->to, sizeof(draft->to), "%s", path) >= (int)sizeof(draft->to))
        return -ENAMETOOLONG;
    darn_draft_sweep(path);
    fd = make(draft, directory_length(path));
    if (fd < 0)
        return fd;
    if (!secret)
        set_mode(fd, path);
    draft->file = fdopen(fd, "w");
    if (!draft->file) {
        int error = errno;

        close(fd);
        unlink(draft->path);
        return -error;
    }
    return 0;
}

int darn_draft_finish(struct darn_draft *draft, int result)
{
    /* It stays locked until it has its name, and some file systems tell only when it is closed that
     * the disk is full. */
    int locked = fcntl(fileno(draft->file), F_DUPFD_CLOEXEC, 0);
    bool bad = ferror(draft->file);

    errno = 0;
    if ((fclose(draft->file) || bad) && !result)
        result = errno ? -errno : -EIO;
    if (!result && rename(draft->path, draft->to))
        result = -errno;
    if (result)
        unlink(draft->path);
    if (locked >= 0)
        close(locked);
    return result;
}

static bool is_draft_of(const char *entry, const char *name, size_t length)
{
    size_t all = strlen(entry), suffix = strlen(SUFFIX);
    size_t random = all > length + 2 + suffix ? all - length - 2 - suffix : 0;

    return random >= 6 && random <= 16 && entry[0] == '.' &&
           strncmp(entry + 1, name, length) == 0 && entry[length + 1] == '.' &&
           strcspn(entry + length + 2, ".") == random && strcmp(entry + all - suffix, SUFFIX) == 0;
}

static void remove_left(int directory, const char *entry)
{
    int fd = openat(directory, entry, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat about;

    if (fd < 0)
        return;
    if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == geteuid() &&
        flock(fd, LOCK_EX | LOCK_NB) == 0)
        unlinkat(directory, entry, 0);
    close(fd);
}

void darn_draft_sweep(const char *path)
{
    size_t length = directory_length(path);
    char *name = length ? strndup(path, length) : strdup(".");
    DIR *directory = name ? opendir(name) : NULL;
    const struct dirent *entry;

    path += length;
    length = strnlen(path, LONGEST);
    while (directory && (entry = readdir(directory)))
        if (is_draft_of(entry->d_name, path, length))
            remove_left(dirfd(directory), entry->d_name);
    if (directory)
        closedir(directory);
    free(name);
}
