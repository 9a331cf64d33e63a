/* The policy `priority`: a thread in a section has a better nice value. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/heal/heal_private.h"
#include "runtime/report/tell.h"

/* How much better the nice value of a thread in a section is. */
#define URGENCY 10
#define BEST    (-20) /* nobody's is better */

void darn_heal_urge(struct darn_hold *hold)
{
    static _Atomic bool refused;
    int tid = hold->healer->thread->tid, kept = errno;
    long nice, better;

    if (refused)
        return;
    nice = 20 - syscall(SYS_getpriority, PRIO_PROCESS, tid);
    better = nice - URGENCY > BEST ? nice - URGENCY : BEST;
    if (syscall(SYS_setpriority, PRIO_PROCESS, tid, (int)better) == 0)
        hold->urged = (uint8_t)(nice - better);
    else if (!atomic_exchange(&refused, true))
        darn_say_line(
            "darn: heal_with=priority: threads may not raise their priority here (ulimit -e): "
            "nothing is done but to yield");
    errno = kept;
}

void darn_heal_calm(struct darn_hold *hold)
{
    int tid = hold->healer->thread->tid, kept = errno;
    long nice = 20 - syscall(SYS_getpriority, PRIO_PROCESS, tid);

    syscall(SYS_setpriority, PRIO_PROCESS, tid, (int)nice + hold->urged);
    hold->urged = 0;
    errno = kept;
}
