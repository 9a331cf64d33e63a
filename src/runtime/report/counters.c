#include "runtime/report/counters.h"

#include <stdatomic.h>

/* Relaxed: they are read at the end, and nothing depends on them. */
static _Atomic uint64_t counters[DARN_COUNT_END];

static const char *const texts[] = {
#define X(name, text) text,
    DARN_COUNTERS(X)
#undef X
};

void darn_count(enum darn_counter counter)
{
    atomic_fetch_add_explicit(&counters[counter], 1, memory_order_relaxed);
}

void darn_counters_clear(void)
{
    for (int i = 0; i < DARN_COUNT_END; i++)
        atomic_store_explicit(&counters[i], 0, memory_order_relaxed);
}

uint64_t darn_counter_value(enum darn_counter counter)
{
    return atomic_load_explicit(&counters[counter], memory_order_relaxed);
}

const char *darn_counter_text(enum darn_counter counter)
{
    return texts[counter];
}

bool darn_counter_is_loss(enum darn_counter counter)
{
    return counter == DARN_COUNT_THREADS_UNKNOWN || counter == DARN_COUNT_THREADS_NOT_RECORDED ||
           counter == DARN_COUNT_SITES_UNKNOWN || counter == DARN_COUNT_FACTS_LOST ||
           counter == DARN_COUNT_ORDER_NO_MEMORY;
}

bool darn_counters_any_loss(void)
{
    for (int i = 0; i < DARN_COUNT_END; i++) {
        if (darn_counter_is_loss((enum darn_counter)i) && darn_counter_value((enum darn_counter)i))
            return true;
    }
    return false;
}
