#include "runtime/control/learning.h"

#include <stdbool.h>
#include <string.h>

#include "runtime/control/control.h"
#include "runtime/watch/sites.h"
#include "site/armed.h"

/*
 * Eight bytes of memory, who has touched them, and by which sites. A table of fixed size: when two
 * pieces of memory want the same entry the newer one gets it, and a sharing may be learned in
 * another run or not at all.
 */
#define GRANULES (1u << 16)
#define WAYS     4
#define SITES    6

struct granule {
    uint64_t address;
    uint32_t thread; /* the first one */
    bool several, written, is_shared;
    bool is_freed; /* by the thread, and nobody has it yet: the next one shares it with that */
    uint32_t site_count;
    uint32_t sites[SITES]; /* numbers of those that are not known to be shared */
};

static struct granule granules[GRANULES];

/* Which sets have any: most blocks that a program gets or gives back were never looked at, and a
 * run is a process that has each page of the table for the first time. */
static uint64_t used[GRANULES / WAYS / 64];

/* A site that a thread has come by so often is left alone as long as that thread has the turn: what
 * it shares was seen, and the inner loops of a program are most of its accesses. Others may come to
 * it for the first time: that two threads count to a million is seen in the first rounds of the
 * second one. */
#define OFTEN 5000

/* More than that many sites that are left alone are so for the rest of the run. */
#define MOST_HOT 1024

/* Of a block that is given back, so many bytes at most are looked at; and who touches so many after
 * that is found. */
#define FREED      65536
#define FREED_HEAD 512

static struct look {
    uint16_t thread, times;
} looks[DARN_BLOCK_SITES];

/* Sites that are left alone, and by whom: bits of thread numbers, modulo 64. */
static struct hot {
    const struct darn_site *record;
    uint64_t threads;
} hot[MOST_HOT];
static uint32_t hot_count;

static uint64_t bit_of(uint32_t thread)
{
    return UINT64_C(1) << thread % 64;
}

static void leave_alone(const struct darn_site *record, uint32_t thread)
{
    uint32_t i = 0;

    darn_armed_remove(record, DARN_ARMED_RECORD);
    while (i < hot_count && hot[i].record != record)
        i++;
    if (i == MOST_HOT)
        return;
    if (i == hot_count)
        hot[hot_count++] = (struct hot){.record = record};
    hot[i].threads |= bit_of(thread);
}

void darn_learning_turn(uint32_t thread)
{
    for (uint32_t i = 0; i < hot_count; i++) {
        if (hot[i].threads & bit_of(thread))
            darn_armed_remove(hot[i].record, DARN_ARMED_RECORD);
        else
            darn_armed_add(hot[i].record, DARN_ARMED_RECORD);
    }
}

static bool is_hot(uint32_t thread, uint32_t site, const struct darn_site *record)
{
    struct look *look = &looks[site];

    if (look->thread != (uint16_t)thread)
        *look = (struct look){.thread = (uint16_t)thread};
    if (look->times < OFTEN) {
        look->times++;
        return false;
    }
    leave_alone(record, thread);
    return true;
}

static struct granule *find(uint64_t address, bool make)
{
    uint64_t number = (address >> 3 ^ address >> 14) % (GRANULES / WAYS);
    struct granule *set = &granules[number * WAYS];
    struct granule *oldest = set;

    if (!(used[number / 64] & bit_of((uint32_t)number))) {
        if (!make)
            return NULL;
        used[number / 64] |= bit_of((uint32_t)number);
    }
    for (uint32_t i = 0; i < WAYS; i++) {
        if (set[i].address == address)
            return &set[i];
        if (!set[i].address)
            oldest = &set[i];
    }
    if (!make)
        return NULL;
    memset(oldest, 0, sizeof(*oldest));
    oldest->address = address;
    return oldest;
}

static void share(uint32_t site)
{
    if (site >= DARN_BLOCK_SITES || darn_control->sites[site] & DARN_SITE_IS_SHARED)
        return;
    darn_control->sites[site] |= DARN_SITE_IS_SHARED;
    darn_control->result.new_shared++;
}

static void remember(struct granule *granule, uint32_t site)
{
    for (uint32_t i = 0; i < granule->site_count; i++) {
        if (granule->sites[i] == site)
            return;
    }
    if (granule->site_count < SITES)
        granule->sites[granule->site_count++] = site;
}

static void touch_granule(uint64_t address, uint32_t thread, uint32_t site, bool writes)
{
    struct granule *granule = find(address, true);

    if (!granule->site_count && !granule->is_shared && !granule->is_freed)
        granule->thread = thread;
    if (granule->thread != thread)
        granule->several = true;
    granule->written |= writes;
    if (!granule->several || !granule->written) {
        remember(granule, site);
        return;
    }
    for (uint32_t i = 0; i < granule->site_count && !granule->is_shared; i++)
        share(granule->sites[i]);
    granule->is_shared = true;
    share(site);
}

void darn_learning_access(uint32_t thread, const struct darn_touch *touch)
{
    uint32_t site = darn_site_number(touch->site);
    uint64_t end = touch->address + (touch->size < 4096 ? touch->size : 4096);

    if (site >= DARN_BLOCK_SITES || is_hot(thread, site, touch->site))
        return;
    darn_control->sites[site] |= DARN_SITE_IS_RUN;
    darn_control->result.looked_at++;
    for (uint64_t at = touch->address & ~UINT64_C(7); at < end; at += 8)
        touch_granule(at, thread, site,
                      touch->op != DARN_OP_READ || touch->assertion == DARN_ASSERT_ACCESS);
}

/* Whoever has touched it shares it with the thread that gives it back. */
static void share_granule(const struct granule *granule, uint32_t thread)
{
    if (granule->is_shared || (granule->thread == thread && !granule->several))
        return;
    for (uint32_t i = 0; i < granule->site_count; i++)
        share(granule->sites[i]);
}

/* A free writes to the whole block: whoever else has touched it, or does before somebody gets it
 * anew, shares memory with that. */
void darn_learning_freed(uint32_t thread, const struct darn_touch *touch)
{
    uint64_t start = touch->address & ~UINT64_C(7);
    uint64_t end = touch->address + (touch->size < FREED ? touch->size : FREED);

    for (uint64_t at = start; at < end; at += 8) {
        struct granule *granule = find(at, at < start + FREED_HEAD);

        if (!granule)
            continue;
        share_granule(granule, thread);
        *granule = (struct granule){
            .address = at, .thread = thread, .written = true, .is_freed = true};
    }
}

void darn_learning_forget(uintptr_t address, uint64_t size)
{
    uint64_t end = address + (size < FREED ? size : FREED);

    for (uint64_t at = address & ~UINT64_C(7); at < end; at += 8) {
        struct granule *granule = find(at, false);

        if (granule)
            memset(granule, 0, sizeof(*granule));
    }
}
