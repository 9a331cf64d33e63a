/* Noise (AtomRace 3.3): which accesses are held, how often and for how long, as the user said. */
#ifndef DARN_RUNTIME_NOISE_INJECT_H
#define DARN_RUNTIME_NOISE_INJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/state.h"
#include "runtime/thread/thread.h"
#include "site/site.h"

/* Nanoseconds to hold this access; 0: not at all. */
uint64_t darn_noise_at_site(struct darn_thread *thread, const struct darn_site *site);

/* Whether any access may be held. */
bool darn_noise_is_at_sites(void);

/* Nanoseconds that a thread is held inside an atomic section that it enters; 0: not at all. */
uint64_t darn_noise_in_section(struct darn_thread *thread);

/* Delays the thread before a synchronization call: as random noise says, or because it is inside an
 * atomic section. What it holds of a section that has ended (hold.h) is given back. */
void darn_noise_delay(struct darn_thread *thread);

/* A piece of a wait of which `left` nanoseconds are left, as noise_kind says; a sleep ends early
 * when the word is no longer `value`. To be called again and again. */
void darn_noise_wait(const volatile void *word, uint32_t value, uint64_t left);

static inline void darn_noise_at_call(struct darn_thread *thread)
{
    if (thread &&
        __builtin_expect(darn_state.options.noise_count || thread->inside || thread->lingers, 0))
        darn_noise_delay(thread);
}

#endif
