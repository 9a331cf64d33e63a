/* Noise (AtomRace 3.3): which accesses are held, how often and for how long, as the user said. */
#ifndef DARN_RUNTIME_NOISE_H
#define DARN_RUNTIME_NOISE_H

#include <stdint.h>

#include "runtime/state.h"
#include "runtime/thread.h"
#include "site/site.h"

/* Nanoseconds to hold this access; 0: not at all. */
uint64_t darn_noise_at_site(struct darn_thread *thread, const struct darn_site *site);

/* Delays the thread before a synchronization call, as random noise says. */
void darn_noise_delay(struct darn_thread *thread);

static inline void darn_noise_at_call(struct darn_thread *thread)
{
    if (__builtin_expect(darn_state.options.noise_count != 0, 0) && thread)
        darn_noise_delay(thread);
}

#endif
