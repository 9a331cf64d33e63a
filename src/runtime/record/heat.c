#include "runtime/record/heat.h"

#include <stdatomic.h>
#include <stddef.h>

#include "base/hash.h"
#include "runtime/os/os.h"
#include "runtime/record/record.h"
#include "runtime/record/stream.h"
#include "runtime/state.h"
#include "runtime/watch/sites.h"
#include "site/armed.h"

#define FIRST 2000
#define BURST 100

/* A large program has thousands of hot sites: the more a thread has recorded in all, the sooner its
 * sites count as hot, down to a hundredth. */
#define PLENTY 500000

/* Sites that are disarmed now. A site for which there is no cell stays armed. */
#define COOLING 65536

static _Atomic(const struct darn_site *) cooling[COOLING];
static _Atomic uint32_t cooling_count;

/* Whether the trace says that accesses are left out. Two threads may both say it. */
static atomic_bool is_told;

static bool may_cool(const struct darn_site *site)
{
    return !(site->flags & (DARN_SITE_ATOMIC | DARN_SITE_VOLATILE | DARN_SITE_SPIN)) &&
           !(darn_armed(site) & (DARN_ARMED_SYNC_READ | DARN_ARMED_SYNC_WRITE));
}

static bool tell_trace(struct darn_thread *thread)
{
    if (!darn_recording || atomic_load(&is_told))
        return true;
    if (!darn_stream_thins(thread))
        return false;
    atomic_store(&is_told, true);
    return true;
}

static void cool(struct darn_thread *thread, const struct darn_site *site)
{
    uint32_t index;

    if (!may_cool(site) || atomic_load(&cooling_count) >= COOLING || !tell_trace(thread))
        return;
    index = atomic_fetch_add(&cooling_count, 1);
    if (index >= COOLING)
        return;
    darn_armed_remove(site, DARN_ARMED_RECORD | DARN_ARMED_POINTER);
    atomic_store(&cooling[index], site);
}

static uint64_t seen_by(const struct darn_thread *thread)
{
    return atomic_load_explicit(&thread->seen, memory_order_relaxed);
}

static uint32_t scaled(const struct darn_thread *thread, uint32_t limit)
{
    uint64_t times = 1 + seen_by(thread) / PLENTY;

    return (uint32_t)(limit / (times < 100 ? times : 100)) + 1;
}

static struct darn_heat *find(struct darn_thread *thread, const struct darn_site *site)
{
    uintptr_t hash = (uintptr_t)site / sizeof(*site);
    struct darn_heat *heat;

    if (!thread->heat)
        thread->heat = darn_os_allocate(DARN_HEAT_SITES * sizeof(*thread->heat));
    if (!thread->heat)
        return NULL;
    heat = &thread->heat[(hash ^ hash >> 9) % DARN_HEAT_SITES];
    if (heat->site != site)
        *heat = (struct darn_heat){.site = site, .limit = scaled(thread, FIRST)};
    return heat;
}

/* Half of the lines for each doubling; which half depends on the line alone, not on the thread. */
static bool is_chosen(const struct darn_heat *heat, uintptr_t address)
{
    uint32_t times = heat->chosen / FIRST;
    uint32_t level = times ? 32 - (uint32_t)__builtin_clz(times) : 0;

    return (darn_spread(address >> 6) & ((UINT64_C(1) << level) - 1)) == 0;
}

bool darn_heat_count(struct darn_thread *thread, const struct darn_site *site, uintptr_t address)
{
    struct darn_heat *heat = find(thread, site);

    if (!heat)
        return true;
    if (!(darn_armed(site) & (DARN_ARMED_RECORD | DARN_ARMED_POINTER))) {
        heat->chosen++;
        return is_chosen(heat, address);
    }
    atomic_store_explicit(&thread->seen, seen_by(thread) + 1, memory_order_relaxed);
    if (++heat->count >= heat->limit) {
        heat->limit = heat->count + scaled(thread, BURST);
        cool(thread, site);
    }
    return true;
}

/* What the site had when it was disarmed. */
static uint8_t armed_bits(const struct darn_site *site)
{
    uint8_t bits = DARN_ARMED_RECORD;

    if (darn_state.mode != DARN_MODE_RECORD)
        return bits;
    if (!darn_site_is_marked(darn_site_number(site)))
        bits = 0;
    if (site->flags & DARN_SITE_POINTER && darn_site_writes(site))
        bits |= DARN_ARMED_POINTER;
    return bits;
}

/*
 * A program with thousands of hot sites would do nothing but bursts: LevelDB took 28 times as long
 * to learn as without darn, on a busy machine 50 times. So the next one comes when the program has
 * used SHARE times as much processor time as the accesses since the last one have taken, COST
 * nanoseconds each; those of sites that never cool down count as well, and may be so many that
 * there would be no other burst.
 */
#define COST    100
#define SHARE   4
#define LONGEST UINT64_C(250000000)

uint64_t darn_heat_pause(uint64_t seen)
{
    return seen < LONGEST / (COST * SHARE) ? seen * COST * SHARE : LONGEST;
}

static bool is_due(void)
{
    static uint64_t last_used, last_seen;
    uint64_t used = darn_os_process_time(), seen = darn_threads_seen();

    if (used != UINT64_MAX && used - last_used < darn_heat_pause(seen - last_seen))
        return false;
    last_used = used;
    last_seen = seen;
    return true;
}

/* A cell that was taken but not filled yet is left for the next time. */
void darn_heat_again(void)
{
    uint32_t count = atomic_load(&cooling_count), left = 0;

    if (!count || !is_due())
        return;
    count = count < COOLING ? count : COOLING;
    for (uint32_t i = 0; i < count; i++) {
        const struct darn_site *site = atomic_exchange(&cooling[i], NULL);

        if (site)
            darn_armed_add(site, armed_bits(site));
        else
            left++;
    }
    if (!left)
        atomic_compare_exchange_strong(&cooling_count, &count, 0);
}
