#define _GNU_SOURCE
#include "runtime/control/outsiders.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "runtime/control/slots.h"
#include "runtime/interpose/intercept.h"
#include "runtime/os/os.h"
#include "runtime/os/proc.h"

#define WOKEN 64

static _Atomic int timers;
static _Atomic uint64_t woken[WOKEN];
static _Atomic uint32_t woken_count; /* so that nobody has to look through all of them */

static bool is_running(__itimer_which_t timer)
{
    struct itimerval left;

    return getitimer(timer, &left) == 0 && (left.it_value.tv_sec || left.it_value.tv_usec);
}

bool darn_outsiders_are_known(void)
{
    int saved = errno;
    bool any = atomic_load(&timers) > 0 || darn_os_has_children() || is_running(ITIMER_REAL) ||
               is_running(ITIMER_VIRTUAL) || is_running(ITIMER_PROF);

    errno = saved;
    return any;
}

bool darn_outsiders_may_act(void)
{
    /* A main thread that has ended stays in the kernel's list. */
    uint32_t ours = darn_slots_alive + !darn_turn_slot_of(0);

    return darn_outsiders_are_known() || (uint32_t)darn_proc_threads() > ours;
}

void darn_outsiders_timer(int count)
{
    atomic_fetch_add(&timers, count);
}

void darn_outsiders_wake(const volatile void *cond)
{
    for (uint32_t i = 0; i < WOKEN; i++) {
        uint64_t none = 0;

        if (atomic_compare_exchange_strong(&woken[i], &none, (uint64_t)(uintptr_t)cond)) {
            atomic_fetch_add(&woken_count, 1);
            return;
        }
    }
}

uint64_t darn_outsiders_woken(void)
{
    if (!atomic_load(&woken_count))
        return 0;
    for (uint32_t i = 0; i < WOKEN; i++) {
        uint64_t cond = atomic_exchange(&woken[i], 0);

        if (cond) {
            atomic_fetch_sub(&woken_count, 1);
            return cond;
        }
    }
    return 0;
}
