#include "report/unread.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static atomic_bool said;

void darn_unread(const char *path, int error)
{
    if (error == ENOENT || error == ENOTDIR || error == EACCES || error == EPERM)
        return;
    if (!atomic_exchange(&said, true))
        fprintf(stderr,
                "darn: warning: %s could not be read: %s; reports lack what only such files say\n",
                path, strerror(error));
}

bool darn_is_unread(void)
{
    return atomic_load(&said);
}
