#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>

#include "runtime/intercept.h"

static int missing(void)
{
    errno = ENOSYS;
    return ENOSYS;
}

void *darn_real(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);

    return found ? found : (void *)missing;
}
