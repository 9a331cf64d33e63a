#include "runtime/interpose/filter.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "runtime/order/ordering.h"
#include "runtime/os/os.h"
#include "runtime/state.h"
#include "runtime/thread/deadly.h"
#include "runtime/thread/thread.h"
#include "runtime/watch/sampler.h"

/*
 * Strict mode kills the thread at any call but read, write, exit and sigreturn. There is nothing
 * left that we could do: the last word is said now, and from here on nothing is watched, for the
 * end of the program is made of calls of this thread.
 */
static void end_watching(void)
{
    darn_finish(0);
    darn_thread_end();
    darn_sampler_stop();
    darn_ordering = darn_clocks_kept = 0;
    darn_state.ready = false;
    darn_state.inert = true;
}

void darn_filter_notice(long number, long first, long second)
{
    bool by_prctl = number == SYS_prctl && first == PR_SET_SECCOMP;

    if (!darn_state.ready || (!by_prctl && number != SYS_seccomp))
        return;
    darn_state.is_asked = false; /* what need not be said needs no call */
    darn_deadly_unwatch();
    if (by_prctl ? second == SECCOMP_MODE_STRICT : first == SECCOMP_SET_MODE_STRICT)
        end_watching();
    else if (by_prctl || first == SECCOMP_SET_MODE_FILTER)
        darn_os_confine();
}
