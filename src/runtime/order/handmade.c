#include "runtime/order/handmade.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/hash.h"
#include "runtime/order/ordering.h"
#include "runtime/state.h"
#include "site/armed.h"

/* Names of variables that are stored to plainly, of those that are with a pointer, which is no
 * number of four bytes, of those that are by an atomic operation that does not release, and of
 * those that are by an atomic store that does: a bit for each hash. */
#define NAMES 65536
static _Atomic uint64_t plain[NAMES / 64], pointers[NAMES / 64], relaxed[NAMES / 64];
static _Atomic uint64_t released[NAMES / 64];

_Atomic uintptr_t darn_handmade_answers[DARN_HANDMADE_ANSWERS];

/* The program has arms of which it is not known whether they ever run (see below); and how many
 * names of them were found to do so. */
volatile bool darn_handmade_arms;
static _Atomic uint32_t found;

volatile bool darn_handmade_barriers;

/* `lock->taken` and `locks[].taken` may be one variable: the last part counts; of `locks[]`, that
 * is `locks`. */
static uint32_t hash_of(const struct darn_site *site)
{
    const char *name = darn_site_variable(site), *last = name;

    for (const char *at = name; *at; at++) {
        if (strchr(">.*", *at))
            last = at + 1;
    }
    return darn_spread(darn_hash_bytes(DARN_HASH_START, last, strcspn(last, "["))) % NAMES;
}

/* A store that is no more than that: what is read before, as in n = n + 1, is not given back. */
static bool is_plain_store(const struct darn_site *site)
{
    return site->kind == DARN_SITE_WRITE &&
           !(site->flags & (DARN_SITE_ATOMIC | DARN_SITE_COVERS | DARN_SITE_RANGE));
}

/* What std::atomic is made of: only its constructor stores there plainly. */
static bool is_constructed(const struct darn_site *site)
{
    const char *name = darn_site_variable(site);
    size_t length = strlen(name);

    return length >= 4 && strcmp(name + length - 4, "_M_i") == 0;
}

static bool is_relaxed_store(const struct darn_site *site)
{
    return (site->kind == DARN_SITE_WRITE || site->kind == DARN_SITE_UPDATE) &&
           site->flags & DARN_SITE_ATOMIC && !(site->flags & DARN_SITE_RELEASES);
}

static bool is_released_store(const struct darn_site *site)
{
    return site->kind == DARN_SITE_WRITE && site->flags & DARN_SITE_RELEASES;
}

static bool is_same_place(const struct darn_site *a, const struct darn_site *b)
{
    return a->line == b->line && a->column == b->column &&
           darn_site_inlined(a) == darn_site_inlined(b) &&
           strcmp(darn_site_function(a), darn_site_function(b)) == 0 &&
           strcmp(darn_site_file(a), darn_site_file(b)) == 0;
}

/* The other arms of a switch stand beside it. */
static bool is_beside_release(const struct darn_site *site, const struct darn_site *start,
                              const struct darn_site *stop, int step)
{
    for (const struct darn_site *other = site + step; other >= start && other < stop;
         other += step) {
        if (!is_same_place(site, other))
            return false;
        if (other->kind == site->kind && other->flags & DARN_SITE_RELEASES)
            return true;
    }
    return false;
}

/*
 * A memory order that is no constant where the operation is compiled becomes a switch with an arm
 * for each: so are all members of std::atomic without optimization, and most of these arms never
 * run. Those that do not release count from the moment on when one runs.
 */
static bool is_arm(const struct darn_site *site, const struct darn_site *start,
                   const struct darn_site *stop)
{
    return is_beside_release(site, start, stop, 1) || is_beside_release(site, start, stop, -1);
}

static void add_name(_Atomic uint64_t *names, const struct darn_site *site)
{
    uint32_t hash = hash_of(site);

    atomic_fetch_or(&names[hash / 64], UINT64_C(1) << hash % 64);
}

static bool has_name(_Atomic uint64_t *names, uint32_t hash)
{
    return atomic_load_explicit(&names[hash / 64], memory_order_relaxed) >> hash % 64 & 1;
}

/* What ends a recognised spin stands in a trace as the synchronization that it is. */
static bool is_recorded(const struct darn_site *site)
{
    return darn_state.mode == DARN_MODE_RECORD && darn_armed(site) & DARN_ARMED_SYNC_WRITE;
}

void darn_handmade_module(const struct darn_site *start, const struct darn_site *stop)
{
    for (const struct darn_site *site = start; site < stop; site++) {
        if (is_recorded(site))
            continue;
        if (is_plain_store(site) && !is_constructed(site))
            add_name(site->flags & DARN_SITE_POINTER ? pointers : plain, site);
        else if (is_relaxed_store(site) && is_arm(site, start, stop))
            darn_handmade_arms = darn_fenced = true;
        else if (is_relaxed_store(site))
            add_name(relaxed, site);
        else if (is_released_store(site))
            add_name(released, site);
    }
    for (size_t i = 0; i < DARN_HANDMADE_ANSWERS; i++)
        atomic_store_explicit(&darn_handmade_answers[i], 0, memory_order_relaxed);
}

static bool is_stored_plainly(const struct darn_site *site, uint32_t hash)
{
    return !*darn_site_variable(site) || has_name(plain, hash) ||
           (site->size >= sizeof(void *) && has_name(pointers, hash));
}

/* Who does not look at what was there has not taken a lock: that counts events. An update that
 * waits does so until somebody gives the lock back: if no store of ours is seen to do that under
 * this name, it may be any. */
static bool takes(const struct darn_site *site)
{
    uint32_t hash = hash_of(site);

    if (site->flags & DARN_SITE_DROPS)
        return false;
    return is_stored_plainly(site, hash) ||
           (site->flags & DARN_SITE_SPIN && !has_name(released, hash));
}

bool darn_handmade_takes(const struct darn_site *site)
{
    _Atomic uintptr_t *cached = darn_handmade_answer(site);
    uintptr_t answer = atomic_load_explicit(cached, memory_order_relaxed);

    if ((answer & ~(uintptr_t)1) != (uintptr_t)site) {
        answer = (uintptr_t)site | takes(site);
        atomic_store_explicit(cached, answer, memory_order_relaxed);
    }
    return answer & 1;
}

bool darn_handmade_waits(const struct darn_site *site)
{
    uint32_t hash = hash_of(site);

    return is_stored_plainly(site, hash) || (darn_handmade_barriers && has_name(relaxed, hash));
}

bool darn_handmade_waits_relaxed(const struct darn_site *site)
{
    uint32_t hash = hash_of(site);

    return !(site->flags & DARN_SITE_ATOMIC) || is_stored_plainly(site, hash) ||
           (site->kind != DARN_SITE_READ && !has_name(released, hash) && !has_name(relaxed, hash));
}

bool darn_handmade_is_relaxed(const struct darn_site *site)
{
    return has_name(relaxed, hash_of(site));
}

void darn_handmade_barrier(void)
{
    if (darn_handmade_barriers)
        return;
    darn_handmade_barriers = true;
    atomic_fetch_add(&found, 1); /* who is about to load has been told otherwise */
}

void darn_handmade_stores(const struct darn_site *site)
{
    if (has_name(relaxed, hash_of(site)))
        return;
    add_name(relaxed, site);
    atomic_fetch_add(&found, 1);
}

uint32_t darn_handmade_found(void)
{
    return atomic_load(&found);
}

static bool is_pair(const struct darn_touch *taking, const struct darn_touch *giving)
{
    return taking->site && giving->site && taking->op == DARN_OP_UPDATE && taking->atomic &&
           !(taking->site->flags & DARN_SITE_DROPS) && is_plain_store(giving->site) &&
           !is_constructed(giving->site);
}

bool darn_handmade_is_lock(const struct darn_touch *a, const struct darn_touch *b)
{
    return is_pair(a, b) || is_pair(b, a);
}
