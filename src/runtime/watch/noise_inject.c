#include "runtime/watch/noise_inject.h"

#include <stdatomic.h>
#include <string.h>

#include "runtime/heal/heal.h"
#include "runtime/os/os.h"
#include "base/random.h"
#include "runtime/report/counters.h"
#include "runtime/section/sections.h"
#include "runtime/state.h"
#include "section/section.h"

/*
 * Which specification fits a site is asked at every access and compares strings: remembered for the
 * sites seen last. One word, so that it is written and read in one piece: the upper 48 bits are the
 * site's address, the lower 16 the number of the specification + 1.
 */
#define REMEMBERED 4096

static _Atomic uint64_t remembered[REMEMBERED];

static bool fits(const struct darn_noise *noise, const struct darn_site *site)
{
    switch (noise->kind) {
    case DARN_NOISE_RANDOM:
        return true;
    case DARN_NOISE_VAR:
        return darn_section_means(darn_site_variable(site), noise->name);
    case DARN_NOISE_SECTION:
        return false;
    default:
        return site->line == noise->line &&
               darn_section_means_file(darn_site_file(site), noise->name);
    }
}

/* The most specific one wins: what is aimed comes before what is random. */
static uint32_t find(const struct darn_site *site)
{
    const struct darn_options *options = &darn_state.options;
    uint32_t found = 0;

    for (uint32_t i = 0; i < options->noise_count; i++) {
        if (fits(&options->noise[i], site) &&
            (!found || options->noise[i].kind != DARN_NOISE_RANDOM))
            found = i + 1;
    }
    return found;
}

static uint32_t find_remembered(const struct darn_site *site)
{
    _Atomic uint64_t *slot = &remembered[((uintptr_t)site / sizeof(*site)) % REMEMBERED];
    uint64_t word = atomic_load_explicit(slot, memory_order_relaxed);
    uint32_t found;

    if (word >> 16 == (uintptr_t)site && (uint16_t)word)
        return (uint16_t)word - 1;
    found = find(site);
    atomic_store_explicit(slot, (uint64_t)(uintptr_t)site << 16 | (found + 1),
                          memory_order_relaxed);
    return found;
}

/* Whether the delay may be made. What all threads have spent is one number: of a program that
 * starts thousands, each would have little. */
static bool is_affordable(uint64_t nanoseconds)
{
    static _Atomic uint64_t spent;
    uint64_t limit = (uint64_t)darn_state.options.noise_limit * 1000000;

    return !limit || atomic_fetch_add_explicit(&spent, nanoseconds, memory_order_relaxed) < limit;
}

/*
 * The strength is a mean: between half and one and a half of it. Threads that all wait equally long
 * can fall into step, and then each is always elsewhere when the other stands at the variable.
 */
static uint64_t decide(struct darn_thread *thread, const struct darn_noise *noise)
{
    uint64_t half = (uint64_t)noise->strength * 500, delay;

    if (darn_random_below(&thread->random, DARN_NOISE_FREQUENCY) >= noise->frequency)
        return 0;
    delay = half + 2 * half * darn_random_below(&thread->random, 1024) / 1024;
    return is_affordable(delay) ? delay : 0;
}

uint64_t darn_noise_at_site(struct darn_thread *thread, const struct darn_site *site)
{
    uint32_t found;

    if (!darn_state.options.noise_count || darn_threads_alive() < 2)
        return 0;
    found = find_remembered(site);
    return found ? decide(thread, &darn_state.options.noise[found - 1]) : 0;
}

void darn_noise_wait(const volatile void *word, uint32_t value, uint64_t left)
{
    switch (darn_state.options.noise_kind) {
    case DARN_NOISE_SLEEP:
        darn_os_wait(word, value, left);
        break;
    case DARN_NOISE_YIELD:
        darn_os_yield();
        break;
    default:
        __builtin_ia32_pause();
    }
}

static void delay(uint64_t nanoseconds)
{
    uint64_t end = darn_os_now() + nanoseconds;

    switch (darn_state.options.noise_kind) {
    case DARN_NOISE_SLEEP:
        darn_os_sleep(nanoseconds);
        break;
    case DARN_NOISE_YIELD:
        darn_os_yield();
        break;
    default:
        while (darn_os_now() < end)
            __builtin_ia32_pause();
    }
}

bool darn_noise_is_at_sites(void)
{
    for (uint32_t i = 0; i < darn_state.options.noise_count; i++) {
        if (darn_state.options.noise[i].kind != DARN_NOISE_SECTION)
            return true;
    }
    return false;
}

uint64_t darn_noise_in_section(struct darn_thread *thread)
{
    const struct darn_options *options = &darn_state.options;

    for (uint32_t i = 0; i < options->noise_count; i++) {
        if (options->noise[i].kind == DARN_NOISE_SECTION)
            return decide(thread, &options->noise[i]);
    }
    return 0;
}

void darn_noise_delay(struct darn_thread *thread)
{
    const struct darn_options *options = &darn_state.options;

    if (thread->lingers)
        darn_heal_done(thread, NULL);
    if (thread->inside)
        darn_sections_at_call(thread);
    for (uint32_t i = 0; i < options->noise_count; i++) {
        if (options->noise[i].kind == DARN_NOISE_RANDOM) {
            uint64_t nanoseconds = decide(thread, &options->noise[i]);

            if (nanoseconds) {
                darn_count(DARN_COUNT_NOISE_AT_CALLS);
                delay(nanoseconds);
            }
        }
    }
}
