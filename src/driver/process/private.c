#include "driver/process/private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver/process/listener.h"

#define PREFIX "darn-"
#define RANDOM "XXXXXX"

/* A directory is one of ours when it has this file, which its command keeps locked: anybody may
 * call a directory darn-123456. */
#define LOCK ".darn-lock"

static char own[PATH_MAX];

/* It may be named relative to where we are, and the program may go elsewhere. */
static const char *directory_of_all(char *path)
{
    const char *named = getenv("TMPDIR");

    named = named && *named ? named : "/tmp";
    return realpath(named, path) ? path : named;
}

#define MOST_DEPTH 64 /* of directories in one of ours, as of a copied tree */

/* No link leads out of it: a directory is only entered where it is none. */
static void remove_all(int directory, int depth)
{
    DIR *list = fdopendir(directory);
    const struct dirent *entry;

    while (list && (entry = readdir(list))) {
        int below = -1;

        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (unlinkat(directory, entry->d_name, 0) && depth < MOST_DEPTH)
            below = openat(directory, entry->d_name,
                           O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (below < 0)
            continue;
        remove_all(below, depth + 1);
        unlinkat(directory, entry->d_name, AT_REMOVEDIR);
    }
    if (list)
        closedir(list);
    else
        close(directory);
}

static void remove_own(void)
{
    int directory = open(own, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (directory < 0)
        return;
    remove_all(directory, 0);
    rmdir(own);
}

/* Locked by us from now on; it is closed when we end. 0 or a negative errno. */
static int lock_own(void)
{
    char path[PATH_MAX + 16];
    int fd;

    snprintf(path, sizeof(path), "%s/" LOCK, own);
    fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    /* Not to get the lock is no error: some file systems have none, and no sweep gets it, either.
     * One that has seen the file before it was locked has removed it. */
    (void)flock(fd, LOCK_EX);
    if (access(path, F_OK) == 0)
        return 0;
    close(fd);
    return -ENOENT;
}

/* 0 or a negative errno. */
static int make(const char *where)
{
    int result = -ENOENT;

    for (int i = 0; i < 10 && result == -ENOENT; i++) {
        if (snprintf(own, sizeof(own), "%s/" PREFIX RANDOM, where) >= (int)sizeof(own))
            return -ENAMETOOLONG;
        if (!mkdtemp(own))
            return -errno;
        result = lock_own();
        if (result)
            rmdir(own);
    }
    return result;
}

const char *darn_private_directory(struct darn_listener *listener)
{
    char path[PATH_MAX];
    const char *where;
    int result;

    if (*own)
        return own;
    where = directory_of_all(path);
    darn_private_sweep();
    result = make(where);
    if (result) {
        *own = '\0';
        darn_tell_refusal(listener, "no temporary directory can be made in %s: %s", where,
                          strerror(-result));
        return NULL;
    }
    atexit(remove_own);
    return own;
}

int darn_private_file(struct darn_listener *listener, const char *name, char *path, size_t size)
{
    const char *directory = darn_private_directory(listener);

    if (!directory)
        return DARN_REFUSED;
    if ((size_t)snprintf(path, size, "%s/%s", directory, name) >= size)
        return darn_tell_refusal(listener, "%s: %s", directory, strerror(ENAMETOOLONG));
    return 0;
}

static bool is_private(int directory)
{
    struct stat about;

    return fstat(directory, &about) == 0 && about.st_uid == geteuid() &&
           (about.st_mode & 07777) == 0700;
}

/* Who made it has not ended as long as the lock is held. */
static void sweep(int parent, const char *name)
{
    int directory = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int fd = directory >= 0 && is_private(directory)
                 ? openat(directory, LOCK, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
                 : -1;

    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) {
        remove_all(directory, 0);
        directory = -1;
        unlinkat(parent, name, AT_REMOVEDIR);
    }
    if (fd >= 0)
        close(fd);
    if (directory >= 0)
        close(directory);
}

void darn_private_sweep(void)
{
    char path[PATH_MAX];
    DIR *list = opendir(directory_of_all(path));
    const struct dirent *entry;

    while (list && (entry = readdir(list)))
        if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) == 0 &&
            strlen(entry->d_name) == strlen(PREFIX RANDOM))
            sweep(dirfd(list), entry->d_name);
    if (list)
        closedir(list);
}
