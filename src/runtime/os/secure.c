#define _GNU_SOURCE
#include "runtime/os/secure.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>

bool darn_secure_process(void)
{
    return getauxval(AT_SECURE) != 0;
}

static bool is_roots(const char *path, mode_t type)
{
    struct stat about;

    return lstat(path, &about) == 0 && (about.st_mode & S_IFMT) == type && about.st_uid == 0 &&
           !(about.st_mode & (S_IWGRP | S_IWOTH));
}

/* Each directory on the way as well. No links: they lead to ways that were not looked at. */
bool darn_secure_is_roots(const char *path)
{
    char part[PATH_MAX];
    size_t length = strlen(path);
    int saved = errno;
    bool roots = path[0] == '/' && length < sizeof(part) && is_roots("/", S_IFDIR);

    for (size_t i = 1; roots && i < length; i++) {
        if (path[i] != '/')
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        roots = is_roots(part, S_IFDIR);
    }
    roots = roots && is_roots(path, S_IFREG);
    errno = saved;
    return roots;
}
