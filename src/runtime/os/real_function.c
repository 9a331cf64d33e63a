#define _GNU_SOURCE
#include "runtime/os/real_function.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>

static int missing(void)
{
    errno = ENOSYS;
    return ENOSYS;
}

static bool is_sanitized(void)
{
    static int is; /* 0: not known yet */

    if (!is)
        is = dlsym(RTLD_DEFAULT, "__asan_init") ? 1 : 2;
    return is == 1;
}

static void *of_sanitizer(const char *name)
{
    char own[128] = "___interceptor_";

    if (strlen(own) + strlen(name) >= sizeof(own))
        return NULL;
    strcat(own, name);
    return dlsym(RTLD_DEFAULT, own);
}

void *darn_real(const char *name)
{
    void *found = is_sanitized() ? of_sanitizer(name) : NULL;

    if (!found)
        found = dlsym(RTLD_NEXT, name);
    if (!found)
        dlerror(); /* the program need not know */
    return found ? found : (void *)missing;
}

bool darn_real_is_missing(const void *real)
{
    return real == (const void *)missing;
}

int darn_real_modules(int (*visit)(struct dl_phdr_info *, size_t, void *), void *context)
{
    static __typeof__(dl_iterate_phdr) *real;

    if (!real)
        real = (__typeof__(real))darn_real("dl_iterate_phdr");
    return real(visit, context);
}
