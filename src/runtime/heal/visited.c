#include "runtime/heal/visited.h"

#include <stdatomic.h>

#include "base/hash.h"
#include "runtime/os/os.h"

/* 512 KB, of which the system gives what is touched. */
#define BITS_SHIFT 22
#define GRANULE    8

static _Atomic uint8_t *visited;

int darn_visited_open(void)
{
    if (!visited)
        visited = darn_os_allocate((1 << BITS_SHIFT) / 8);
    return visited ? 0 : -1;
}

static uint32_t bit_of(uintptr_t address)
{
    return darn_spread_to(address / GRANULE, BITS_SHIFT);
}

bool darn_visited_has(uintptr_t address)
{
    uint32_t bit = bit_of(address);

    return atomic_load_explicit(&visited[bit / 8], memory_order_relaxed) >> bit % 8 & 1;
}

void darn_visited_add(uintptr_t address)
{
    uint32_t bit = bit_of(address);

    if (!darn_visited_has(address)) /* a load is cheaper, and nearly always enough */
        atomic_fetch_or_explicit(&visited[bit / 8], (uint8_t)(1 << bit % 8), memory_order_relaxed);
}
