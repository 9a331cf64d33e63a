#include "runtime/watch/attention.h"

#include <stdatomic.h>
#include <string.h>

#include "runtime/os/os_spin.h"
#include "runtime/heal/heal.h"
#include "runtime/order/repeats.h"
#include "runtime/section/sections.h"
#include "runtime/spin/spins.h"
#include "runtime/state.h"
#include "runtime/thread/thread.h"
#include "runtime/watch/looks.h"
#include "runtime/watch/watch.h"
#include "site/site_guard.h"

#define EXPORTED __attribute__((visibility("default")))

/* Read by guards that have no byte of their own, which all others follow (looks.h): on a cache line
 * of its own, so that nothing else makes it move. */
EXPORTED _Alignas(64) volatile uint8_t darn_attention;
EXPORTED _Alignas(64) volatile uint8_t darn_filter[DARN_FILTER_SIZE];

extern volatile uint8_t darn_attention_here __attribute__((alias("darn_attention")));
extern volatile uint8_t darn_filter_here[DARN_FILTER_SIZE] __attribute__((alias("darn_filter")));

/*
 * Protects everything below and the contents of the filter. Nothing nests inside. Guards read the
 * filter without it: a guard that reads an old byte misses a window, or calls in vain. Taken with
 * signals blocked: a handler may spin, or open a window, too.
 */
static struct darn_spin lock;

uint64_t darn_attention_lock(void)
{
    uint64_t mask = darn_os_block_signals();

    darn_spin_lock(&lock);
    return mask;
}

void darn_attention_unlock(uint64_t mask)
{
    darn_spin_unlock(&lock);
    darn_os_restore_signals(mask);
}

static bool always, keep, off, inviting_sections, sampling;
static _Atomic uint32_t offers; /* of the invitation */
static _Atomic uint32_t round_number;
static _Atomic bool is_seen;

static void mark(uintptr_t address, uint32_t size)
{
    /* An access that begins in the line before may reach into the window. */
    uintptr_t first = (address - (1 << DARN_FILTER_SHIFT) + 1) >> DARN_FILTER_SHIFT;
    uintptr_t last = (address + size - 1) >> DARN_FILTER_SHIFT;

    for (uintptr_t line = first; line <= last; line++)
        darn_filter[darn_filter_index(line << DARN_FILTER_SHIFT)] = 1;
}

/* The lines on which hot sites are seen all the same (heat.h): one in 64, spread like salt. */
static void choose_lines(void)
{
    for (uint32_t i = 0; i < DARN_FILTER_SIZE; i++) {
        if (i * UINT32_C(0x9e3779b1) >> 26 == 0)
            darn_filter[i] = 1;
    }
}

/* Lines that call whatever happens: of variables that are healed. */
static uint8_t marked[DARN_FILTER_SIZE];
static bool any_marked;

/* Those of them that are marked are not 0 even for a moment: others would pass unseen. */
static void fill(uint8_t value)
{
    if (any_marked && !value)
        memcpy((void *)darn_filter, marked, sizeof(darn_filter));
    else
        memset((void *)darn_filter, value, sizeof(darn_filter));
}

/* Whether accesses are only to be remembered, as far as nobody waits for them. */
static bool is_only_remembered(void)
{
    return sampling && darn_state.mode == DARN_MODE_WATCH && !darn_sections && !darn_healing &&
           !any_marked && !darn_state.options.noise_count;
}

/* How long there have been several threads, and how long of that every access called. Nobody asks
 * but `darn run`. */
static struct {
    uint64_t since, several, seen;
    _Atomic bool is_several;
    bool is_full;
} account;

static void count_time(bool is_full, bool is_several)
{
    uint64_t now, passed;

    if (!darn_state.is_asked || (is_full == account.is_full && is_several == account.is_several))
        return;
    now = darn_os_now();
    passed = account.is_several ? now - account.since : 0;
    account.several += passed;
    account.seen += account.is_full ? passed : 0;
    account.since = now;
    account.is_full = is_full;
    account.is_several = is_several;
}

void darn_attention_recount(void)
{
    uint64_t mask;

    if (!darn_state.is_asked || darn_state.mode != DARN_MODE_WATCH ||
        atomic_load(&account.is_several) == (darn_threads_alive() > 1))
        return;
    mask = darn_attention_lock();
    count_time(account.is_full, darn_threads_alive() > 1);
    darn_attention_unlock(mask);
}

uint32_t darn_attention_share(void)
{
    uint64_t mask = darn_attention_lock();

    count_time(false, false);
    darn_attention_unlock(mask);
    return account.several ? (uint32_t)(account.seen * 1000 / account.several) : 0;
}

static void refresh(void)
{
    bool remembered = is_only_remembered();
    bool full = always || (sampling && !remembered) || offers || darn_sections_want_all();
    bool watching;

    count_time(full || remembered, account.is_several);
    if (off) {
        darn_attention = 0;
        darn_looks_end();
        return;
    }
    fill(full ? 1 : remembered ? DARN_FILTER_REMEMBERED : 0);
    if (darn_state.mode != DARN_MODE_WATCH && darn_state.mode != DARN_MODE_HEAL)
        choose_lines();
    watching = full ? darn_watch_is_open() : darn_watch_each(mark);
    if (!full) {
        watching |= darn_spins_each(mark);
        watching |= darn_sections_each(mark);
    }
    darn_attention = full || remembered || keep || watching || inviting_sections || any_marked;
    darn_looks_set(darn_attention);
}

void darn_attention_refresh(void)
{
    uint64_t mask = darn_attention_lock();

    refresh();
    darn_attention_unlock(mask);
}

void darn_attention_mark(uintptr_t address, uint64_t size)
{
    uintptr_t last = (address + size - 1) >> DARN_FILTER_SHIFT;
    uint64_t mask = darn_attention_lock();

    any_marked = true;
    for (uintptr_t line = address >> DARN_FILTER_SHIFT; line <= last; line++) {
        uint32_t index = darn_filter_index(line << DARN_FILTER_SHIFT);

        marked[index] = darn_filter[index] = 1;
    }
    darn_attention = !off;
    darn_looks_set(darn_attention);
    darn_attention_unlock(mask);
}

bool darn_attention_is_marked(uintptr_t address, uint64_t size)
{
    uintptr_t line = address >> DARN_FILTER_SHIFT;
    uintptr_t lines = ((address + size - 1) >> DARN_FILTER_SHIFT) - line;

    if (marked[darn_filter_index(address)])
        return true;
    for (uintptr_t i = 1; i <= lines && i < DARN_FILTER_SIZE; i++) {
        if (marked[darn_filter_index((line + i) << DARN_FILTER_SHIFT)])
            return true;
    }
    return false;
}

void darn_attention_always(void)
{
    uint64_t mask = darn_attention_lock();

    always = true;
    refresh();
    darn_attention_unlock(mask);
}

void darn_attention_sample(bool on)
{
    uint64_t mask = darn_attention_lock();

    sampling = on;
    refresh();
    darn_attention_unlock(mask);
}

void darn_attention_keep(void)
{
    uint64_t mask = darn_attention_lock();

    keep = true;
    refresh();
    darn_attention_unlock(mask);
}

void darn_attention_seen(void)
{
    if (!atomic_load_explicit(&is_seen, memory_order_relaxed))
        atomic_store_explicit(&is_seen, true, memory_order_relaxed);
}

bool darn_attention_was_seen(void)
{
    return atomic_load_explicit(&is_seen, memory_order_relaxed);
}

void darn_attention_invite(uint32_t windows)
{
    uint64_t mask = darn_attention_lock();

    is_seen = false;
    offers = windows;
    atomic_fetch_add_explicit(&round_number, 1, memory_order_relaxed);
    refresh();
    darn_attention_unlock(mask);
}

void darn_attention_invite_sections(bool on)
{
    uint64_t mask;

    darn_sections_invite(on);
    mask = darn_attention_lock();
    inviting_sections = on;
    if (on)
        atomic_fetch_add_explicit(&round_number, 1, memory_order_relaxed);
    refresh();
    darn_attention_unlock(mask);
}

uint32_t darn_attention_withdraw(void)
{
    uint64_t mask = darn_attention_lock();
    uint32_t left;

    left = offers;
    offers = 0;
    refresh();
    darn_attention_unlock(mask);
    return left;
}

bool darn_attention_invited(void)
{
    return atomic_load_explicit(&offers, memory_order_relaxed) != 0;
}

uint32_t darn_attention_round(void)
{
    return atomic_load_explicit(&round_number, memory_order_relaxed);
}

bool darn_attention_accept(void)
{
    uint64_t mask = darn_attention_lock();
    bool accepted;

    accepted = offers != 0;
    if (accepted)
        offers--;
    darn_attention_unlock(mask);
    return accepted;
}

void darn_attention_before_fork(void)
{
    darn_spin_lock(&lock);
}

void darn_attention_after_fork(bool child)
{
    if (child) {
        offers = 0;
        inviting_sections = sampling = false;
        refresh();
    }
    darn_spin_unlock(&lock);
}

void darn_attention_off(void)
{
    uint64_t mask = darn_attention_lock();

    off = true;
    refresh();
    darn_attention_unlock(mask);
}
