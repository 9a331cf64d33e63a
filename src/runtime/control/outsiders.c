#define _GNU_SOURCE
#include "runtime/control/outsiders.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "runtime/control/slots.h"
#include "runtime/os/os.h"
#include "runtime/os/proc.h"
#include "runtime/report/maps.h"

#define WOKEN     64
#define ASK_EVERY UINT64_C(100000000) /* nanoseconds: it takes some milliseconds */

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

/* The process that this one was forked from (control.h) has what was mapped before main, and does
 * nothing with it. */
static bool has_mapped(int pid, const void *file)
{
    return pid != darn_os_process_id() && pid != darn_os_parent_id() &&
           darn_maps_are_shared(pid, file);
}

/* Whether what is there can be changed by other processes. */
static bool is_others(struct darn_maps *maps, uint64_t address)
{
    char file[64];
    bool is_open;

    return address &&
           darn_maps_find_shared(maps, (uintptr_t)address, file, sizeof(file), &is_open) &&
           (is_open || darn_proc_any(has_mapped, file));
}

/* A lock that one of us holds is given back by nobody else. */
static bool waits_for_others(struct darn_maps *maps, const struct darn_slot *slot)
{
    if (slot->state != DARN_STATE_READY || darn_step_names_thread(slot->op))
        return false;
    if (slot->op == DARN_STEP_SPIN) {
        for (uint32_t i = 0; i < slot->spin_count; i++)
            if (is_others(maps, slot->spins[i].address))
                return true;
        return false;
    }
    return !(slot->target && (slot->target->holder || slot->target->depth)) &&
           is_others(maps, slot->object);
}

/* Somebody waits for what is in shared memory: a daemon, or whoever else has it or can have it, may
 * end that. */
static bool are_waited_for(void)
{
    static uint64_t asked; /* when the answer was yes */
    uint64_t now = darn_os_now();
    struct darn_maps *maps;

    if (asked && now - asked < ASK_EVERY)
        return true;
    maps = darn_maps_read();
    for (uint32_t i = 0; i < darn_slot_end; i++) {
        if (waits_for_others(maps, &darn_slots[i])) {
            asked = now;
            return true;
        }
    }
    return false;
}

bool darn_outsiders_may_act(void)
{
    /* A main thread that has ended stays in the kernel's list. */
    uint32_t ours = darn_slots_alive + !darn_turn_slot_of(0);

    return darn_outsiders_are_known() || (uint32_t)darn_proc_threads() > ours || are_waited_for();
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
