#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>

#include "runtime/intercept.h"

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

void *darn_real(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);

    return found ? found : (void *)missing;
}
