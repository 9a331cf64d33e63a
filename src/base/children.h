/* The list of a thread's children, /proc/PID/task/TID/children: "12 345 ". */
#ifndef DARN_BASE_CHILDREN_H
#define DARN_BASE_CHILDREN_H

#include <signal.h>
#include <stdlib.h>

/* Kills all that are in it. `length` is what was read, or negative; there is room for one byte
 * more. Allocates nothing, for handlers. */
static inline void darn_children_kill(char *list, long length)
{
    while (length > 0 && list[length - 1] != ' ') /* the last number may be cut off */
        length--;
    list[length > 0 ? length : 0] = '\0';
    for (char *at = list, *end; *at; at = end) {
        long id = strtol(at, &end, 10);

        if (end == at)
            return;
        kill((pid_t)id, SIGKILL);
    }
}

#endif
