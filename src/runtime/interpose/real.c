#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "runtime/interpose/intercept.h"

static int missing(void)
{
    errno = ENOSYS;
    return ENOSYS;
}

extern const struct darn_intercept __start_darn_intercepts[] __attribute__((visibility("hidden")));
extern const struct darn_intercept __stop_darn_intercepts[] __attribute__((visibility("hidden")));

void darn_intercept_resolve(void)
{
    const struct darn_intercept *intercept;

    for (intercept = __start_darn_intercepts; intercept < __stop_darn_intercepts; intercept++) {
        if (!*intercept->real)
            *intercept->real = darn_real(intercept->name);
    }
}

void darn_intercept_bypass(void)
{
    const struct darn_intercept *intercept;

    for (intercept = __start_darn_intercepts; intercept < __stop_darn_intercepts; intercept++) {
        if (intercept->go)
            *intercept->go = *intercept->real;
    }
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

    return found ? found : (void *)missing;
}
