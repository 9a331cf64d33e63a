/*
 * An order that nobody knows of: what comes after unseen_wait() comes after unseen_tell(), on a busy
 * machine as well, and no lock, no variable and no call that darn intercepts says so. It goes by a call that darn believes to tell
 * nobody anything (plugin/core/plugin_outside.c).
 */
#ifndef UNSEEN_H
#define UNSEEN_H

#include <unistd.h>

static inline void unseen_tell(void)
{
    alarm(1000);
}

static inline void unseen_wait(void)
{
    while (!alarm(0))
        usleep(1000);
}

#endif
