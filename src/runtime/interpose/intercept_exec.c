/*
 * A process becomes another program: what was learned and healed so far must not be lost with it.
 * Within libc these functions call each other by names that cannot be intercepted.
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <unistd.h>

#include "runtime/interpose/intercept.h"
#include "runtime/state.h"

DARN_INTERCEPT(int, execve, const char *path, char *const arguments[], char *const environment[])
{
    darn_before_exec();
    return DARN_REAL(execve)(path, arguments, environment);
}

DARN_INTERCEPT(int, execv, const char *path, char *const arguments[])
{
    darn_before_exec();
    return DARN_REAL(execv)(path, arguments);
}

DARN_INTERCEPT(int, execvp, const char *file, char *const arguments[])
{
    darn_before_exec();
    return DARN_REAL(execvp)(file, arguments);
}

DARN_INTERCEPT(int, execvpe, const char *file, char *const arguments[], char *const environment[])
{
    darn_before_exec();
    return DARN_REAL(execvpe)(file, arguments, environment);
}

DARN_INTERCEPT(int, fexecve, int fd, char *const arguments[], char *const environment[])
{
    darn_before_exec();
    return DARN_REAL(fexecve)(fd, arguments, environment);
}

DARN_INTERCEPT(int, execveat, int directory, const char *path, char *const arguments[],
               char *const environment[], int flags)
{
    darn_before_exec();
    return DARN_REAL(execveat)(directory, path, arguments, environment, flags);
}

/* How many arguments come before the NULL. */
static size_t count_arguments(const char *first, va_list list)
{
    size_t count = first ? 1 : 0;

    while (first && va_arg(list, char *))
        count++;
    return count;
}

/* Puts them and the NULL into `arguments`; what comes next in the list is what follows it. */
static void take_arguments(char **arguments, size_t count, const char *first, va_list list)
{
    arguments[0] = (char *)(uintptr_t)first;
    for (size_t i = 1; i <= count; i++)
        arguments[i] = va_arg(list, char *);
}

/* With a list in place of an array: the array is made, and the other function called. */
#define INTERCEPT_LIST(name, call)                                                                 \
    DARN_INTERCEPT(int, name, const char *path, const char *first, ...)                            \
    {                                                                                              \
        va_list list;                                                                              \
        size_t count;                                                                              \
                                                                                                   \
        va_start(list, first);                                                                     \
        count = count_arguments(first, list);                                                      \
        va_end(list);                                                                              \
        char *arguments[count + 1];                                                                \
        va_start(list, first);                                                                     \
        take_arguments(arguments, count, first, list);                                             \
        int result = (call);                                                                       \
        va_end(list);                                                                              \
        return result;                                                                             \
    }

INTERCEPT_LIST(execl, execv(path, arguments))
INTERCEPT_LIST(execlp, execvp(path, arguments))
INTERCEPT_LIST(execle, execve(path, arguments, va_arg(list, char **)))
