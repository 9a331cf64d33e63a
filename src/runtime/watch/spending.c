#include "runtime/watch/spending.h"

#include <stdatomic.h>

#include "runtime/os/os.h"

/* This part of the budget goes into what is remembered: at the default of 10 %, one cycle in 20. */
#define SHARE 2

/*
 * It goes on until it has cost so many nanoseconds more than it may, and begins again when it has
 * cost as much less. Each time that begins moves the clocks of all threads and objects until all
 * know of it (order/clocks.h): for a little every millisecond they would never come to rest.
 */
#define BURST 5e6

/* Who took longer was taken off its processor. */
#define LONGEST         20000
#define LONGEST_SAMPLED 1000

#define SHARDS 64

volatile bool darn_remembering = true;

static struct {
    _Alignas(64) _Atomic uint64_t cycles;
} spent[SHARDS];

static void add(uint32_t who, uint64_t cycles)
{
    _Atomic uint64_t *own = &spent[who % SHARDS].cycles;

    /* Two that share a number may lose some: it is cheaper than to be exact. */
    atomic_store_explicit(own, atomic_load_explicit(own, memory_order_relaxed) + cycles,
                          memory_order_relaxed);
}

void darn_spending_end(uint32_t who, uint64_t start)
{
    uint64_t cycles = __builtin_ia32_rdtsc() - start;

    add(who, cycles < LONGEST ? cycles : LONGEST);
}

void darn_spending_sampled(uint32_t who, uint64_t start)
{
    uint64_t cycles = __builtin_ia32_rdtsc() - start;

    add(who, DARN_SPENDING_SAMPLE * (cycles < LONGEST_SAMPLED ? cycles : LONGEST_SAMPLED));
}

static uint64_t total(void)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < SHARDS; i++)
        sum += atomic_load_explicit(&spent[i].cycles, memory_order_relaxed);
    return sum;
}

uint64_t darn_spending_total(void)
{
    static uint64_t first_cycles, first_time, last, spent_ns;
    uint64_t cycles = __builtin_ia32_rdtsc(), time = darn_os_now(), spent = total();

    if (!first_time) {
        first_cycles = cycles;
        first_time = time;
    } else {
        spent_ns += (uint64_t)((double)(spent - last) * (double)(time - first_time) /
                               (double)(cycles - first_cycles + 1));
    }
    last = spent;
    return spent_ns;
}

void darn_spending_review(uint32_t budget)
{
    static struct {
        uint64_t spent, used;
        bool is_known;
    } first;
    uint64_t spent = darn_spending_total(), used = darn_os_process_time();

    if (!first.is_known) {
        first.spent = spent;
        first.used = used;
        first.is_known = true;
        return;
    }
    darn_remembering =
        (double)(spent - first.spent) <
        (double)(used - first.used) * budget / (100 * SHARE) + (darn_remembering ? BURST : -BURST);
}
