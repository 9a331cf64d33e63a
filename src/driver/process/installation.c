#include "driver/process/installation.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where execvp looks when PATH is not set. */
#define DEFAULT_PATH "/bin:/usr/bin"

/* dir + "/" + name; 0 or -ENAMETOOLONG */
static int join(char *path, size_t size, const char *dir, const char *name)
{
    size_t dir_length = strlen(dir), name_length = strlen(name);

    if (dir_length + 1 + name_length + 1 > size)
        return -ENAMETOOLONG;
    memcpy(path, dir, dir_length);
    path[dir_length] = '/';
    memcpy(path + dir_length + 1, name, name_length + 1);
    return 0;
}

int darn_own_path(char *path, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", path, size - 1);

    if (length < 0)
        return -errno;
    path[length] = '\0';
    return 0;
}

int darn_installation_find(struct darn_installation *installation)
{
    char root[PATH_MAX];
    int result = darn_own_path(root, sizeof(root));

    if (result)
        return result;
    for (int up = 0; up < 2; up++) { /* ROOT/bin/darn */
        char *slash = strrchr(root, '/');

        if (!slash)
            return -ENOENT;
        *slash = '\0';
    }
    if (join(installation->plugin, PATH_MAX, root, "lib/darn/darn_plugin.so") ||
        join(installation->runtime, PATH_MAX, root, "lib/darn/libdarn_rt.a") ||
        join(installation->production, PATH_MAX, root, "lib/darn/libdarn_heal_rt.a") ||
        join(installation->preload, PATH_MAX, root, "lib/darn/libdarn_rt.so") ||
        join(installation->symbols, PATH_MAX, root, "lib/darn/darn_rt.syms") ||
        join(installation->include, PATH_MAX, root, "include"))
        return -ENAMETOOLONG;
    return 0;
}

/* 0, -ENOENT or -EACCES */
static int check_executable(const char *path)
{
    struct stat about;

    if (stat(path, &about))
        return errno == EACCES ? -EACCES : -ENOENT;
    if (!S_ISREG(about.st_mode) || faccessat(AT_FDCWD, path, X_OK, AT_EACCESS))
        return -EACCES;
    return 0;
}

/* The first component of a PATH, and the rest after it. */
static int join_component(const char *component, size_t length, const char *name, char *path,
                          size_t size)
{
    char dir[PATH_MAX];

    if (length >= sizeof(dir))
        return -ENAMETOOLONG;
    memcpy(dir, component, length);
    dir[length] = '\0';
    return join(path, size, length ? dir : ".", name); /* an empty component is this directory */
}

int darn_find_program(const char *name, char *path, size_t size)
{
    const char *search = getenv("PATH");
    int result = -ENOENT;

    if (strchr(name, '/')) {
        if (strlen(name) >= size)
            return -ENAMETOOLONG;
        strcpy(path, name);
        return check_executable(path);
    }
    if (!*name)
        return -ENOENT;
    for (search = search ? search : DEFAULT_PATH;; search++) {
        size_t length = strcspn(search, ":");
        int found = join_component(search, length, name, path, size);

        if (!found)
            found = check_executable(path);
        if (!found)
            return 0;
        if (found == -EACCES)
            result = -EACCES;
        search += length;
        if (!*search)
            return result;
    }
}

int darn_absolute_path(const char *path, char *absolute, size_t size)
{
    char here[PATH_MAX];

    if (path[0] == '/') {
        if (strlen(path) >= size)
            return -ENAMETOOLONG;
        strcpy(absolute, path);
        return 0;
    }
    if (!getcwd(here, sizeof(here)))
        return -errno;
    while (path[0] == '.' && path[1] == '/')
        path += 2;
    return join(absolute, size, strcmp(here, "/") == 0 ? "" : here, path);
}
