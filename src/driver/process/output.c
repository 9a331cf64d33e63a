#include "driver/process/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* 0 or a negative errno: may a file be created next to this one? */
int darn_output_check_prefix(const char *path)
{
    char dir[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;

    if (length >= sizeof(dir))
        return -ENAMETOOLONG;
    memcpy(dir, path, length);
    dir[length] = '\0';
    if (!length)
        strcpy(dir, slash ? "/" : ".");
    return faccessat(AT_FDCWD, dir, W_OK | X_OK, AT_EACCESS) ? -errno : 0;
}

int darn_output_check(const char *path)
{
    struct stat about;

    if (!*path)
        return -ENOENT;
    if (stat(path, &about)) {
        if (errno != ENOENT)
            return -errno;
        if (path[0] && path[strlen(path) - 1] == '/')
            return -EISDIR;
        return darn_output_check_prefix(path);
    }
    if (S_ISDIR(about.st_mode))
        return -EISDIR;
    return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) ? -errno : 0;
}
