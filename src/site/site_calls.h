/*
 * The functions of libc whose buffers are accesses of their caller (plugin/call/libcalls.c). The
 * site of such an access has the number of its function, so that a report can name it.
 */
#ifndef DARN_SITE_SITE_CALLS_H
#define DARN_SITE_SITE_CALLS_H

#include <stddef.h>
#include <string.h>

#include "site/site.h"

/* Numbers are indexes, from 1 on. New ones come last: recorded traces have numbers. */
static const char *const darn_call_names[] = {
    "memcpy",         "memmove",    "mempcpy",  "bcopy",       "memset",      "bzero",
    "explicit_bzero", "memcmp",     "bcmp",     "memchr",      "memrchr",     "strlen",
    "strdup",         "strcpy",     "stpcpy",   "strncpy",     "strcat",      "strncat",
    "strcmp",         "strcasecmp", "strchr",   "strrchr",     "strstr",      "strspn",
    "strcspn",        "strpbrk",    "atoi",     "atol",        "strtol",      "strtoul",
    "write",          "pwrite",     "send",     "sendto",      "puts",        "fputs",
    "fwrite",         "qsort",      "read",     "pread",       "recv",        "recvfrom",
    "getrandom",      "readlink",   "fread",    "fgets",       "getcwd",      "inet_ntop",
    "snprintf",       "vsnprintf",  "sprintf",  "vsprintf",    "getline",     "getdelim",
    "strerror_r",     "readv",      "writev",   "preadv",      "pwritev",     "recvmsg",
    "sendmsg",        "scanf",      "fscanf",   "sscanf",      "preadv2",     "pwritev2",
    "printf",         "fprintf",    "dprintf",  "asprintf",    "strtoll",     "strtoull",
    "strtod",         "atof",       "atoll",    "strncmp",     "strncasecmp", "strndup",
    "strnlen",        "stat",       "lstat",    "fstat",       "fstatat",     "clock_gettime",
    "gettimeofday",   "getrusage",  "gmtime_r", "localtime_r", "pipe",        "pipe2",
    "socketpair",
};

#define DARN_CALLS (sizeof(darn_call_names) / sizeof(darn_call_names[0]))

/* Of `__read_chk` that of `read`, of `pread64` that of `pread`; 0: it has none. */
static inline unsigned darn_call_number(const char *name)
{
    for (unsigned i = 0; i < DARN_CALLS; i++) {
        const char *known = darn_call_names[i], *at = strncmp(name, "__", 2) ? name : name + 2;
        size_t length = strlen(known);

        if (strncmp(at, "xpg_", 4) == 0)
            at += 4;
        if (strncmp(at, "isoc99_", 7) == 0 || strncmp(at, "isoc23_", 7) == 0)
            at += 7;
        if (strncmp(at, known, length) == 0 &&
            (!at[length] || strcmp(at + length, "_chk") == 0 || strcmp(at + length, "64") == 0 ||
             strcmp(at + length, "64v2") == 0))
            return i + 1;
    }
    return 0;
}

/* The function whose access a site is, by its fields; NULL: it is none. */
static inline const char *darn_call_name(unsigned flags, unsigned size)
{
    return flags & DARN_SITE_RANGE && size && size <= DARN_CALLS ? darn_call_names[size - 1] : NULL;
}

#endif
