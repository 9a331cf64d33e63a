#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <threads.h>

#include "runtime/interpose/intercept.h"

/* NULL where no interceptor is linked: in unit tests. */
extern const struct darn_intercept __start_darn_intercepts[]
    __attribute__((weak, visibility("hidden")));
extern const struct darn_intercept __stop_darn_intercepts[]
    __attribute__((weak, visibility("hidden")));

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

/* The one that the caller would have without us. */
static void *found_for(const void *caller, const char *name)
{
    void *(*open)(const char *, int) = (void *(*)(const char *, int))darn_real("dlopen");
    void *module, *found;
    Dl_info info;

    if (!dladdr(caller, &info) || !info.dli_fname || !*info.dli_fname)
        return NULL;
    module = open(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    found = module ? dlsym(module, name) : NULL;
    if (!found)
        dlerror();
    return found == dlsym(RTLD_DEFAULT, name) ? NULL : found;
}

void *darn_real_late(void **real, const char *name, const void *caller)
{
    void *found = *real;

    if (!found || darn_real_is_missing(found)) {
        found = found_for(caller, name);
        *real = found ? found : darn_real(name);
    }
    return *real;
}

int darn_thrd_result(int result)
{
    switch (result) {
    case 0:
        return thrd_success;
    case EBUSY:
        return thrd_busy;
    case ETIMEDOUT:
        return thrd_timedout;
    default:
        return thrd_error;
    }
}
