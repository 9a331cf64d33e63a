/*
 * Where things are: the files of darn, found from the path of the running command, and programs,
 * found in PATH.
 */
#ifndef DARN_DRIVER_INSTALLATION_H
#define DARN_DRIVER_INSTALLATION_H

#include <limits.h>
#include <stddef.h>

struct darn_installation {
    char plugin[PATH_MAX];
    char runtime[PATH_MAX];
    char production[PATH_MAX]; /* that of programs that are built to be healed */
    char preload[PATH_MAX]; /* the same as a shared object, for programs that were not compiled */
    char symbols[PATH_MAX]; /* the linker's list of names that the program exports */
    char include[PATH_MAX];
};

/* The path of the running command. 0 or a negative errno. */
int darn_own_path(char *path, size_t size);

/* 0 or a negative errno. The files need not exist. */
int darn_installation_find(struct darn_installation *installation);

/* Looks a program up as execvp does: a name with a slash is its path, another one is searched for
 * in PATH. 0, -ENOENT, -EACCES (only files that cannot be executed were found) or -ENAMETOOLONG. */
int darn_find_program(const char *name, char *path, size_t size);

/* Makes a path absolute without looking at what is there. 0 or a negative errno. */
int darn_absolute_path(const char *path, char *absolute, size_t size);

#endif
