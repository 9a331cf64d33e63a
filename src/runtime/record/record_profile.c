#include "runtime/record/record_profile.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "runtime/os/os_file.h"
#include "runtime/os/os.h"
#include "runtime/os/os_spin.h"
#include "runtime/record/facts.h"
#include "runtime/record/record_merge.h"
#include "runtime/report/counters.h"
#include "runtime/watch/sites.h"
#include "site/armed.h"

/* The stack of work elsewhere. Reading and merging need a few kilobytes. */
#define STACK_SIZE (64 * 1024)

/* Different pairs of one run. */
#define PAIRS 65536

/* In the bits of a pair: this run has learned it, too. */
#define LEARNED 8

/*
 * Pairs of keys, with a bit for each kind of fact; and with 0 as the second key, the bits that arm
 * a site. Added to under the lock, with signals blocked; looked at without.
 */
static struct darn_facts known;
static struct darn_spin lock;

/* What this run has learned: added to under the lock as well; entries below the count stay. */
static struct darn_pair *pairs;
static _Atomic uint32_t pair_count;

static uint32_t bit(enum darn_fact_kind kind)
{
    return UINT32_C(1) << kind;
}

static void add(uint64_t first, uint64_t second, uint32_t bits)
{
    if (darn_facts_add(&known, first, second, bits) == UINT32_MAX)
        darn_count(DARN_COUNT_FACTS_LOST);
}

static void add_fact(const struct darn_fact *fact)
{
    switch (fact->kind) {
    case DARN_FACT_SHARED:
        add(fact->site, 0, DARN_ARMED_RECORD);
        break;
    case DARN_FACT_SPIN:
        add(fact->site, fact->writer, bit(DARN_FACT_SPIN));
        add(fact->site, 0, DARN_ARMED_RECORD | DARN_ARMED_SYNC_READ);
        add(fact->writer, 0, DARN_ARMED_RECORD | DARN_ARMED_SYNC_WRITE);
        break;
    case DARN_FACT_SUSPECT:
        break; /* arm_suspects */
    }
}

/* When all spins are known: a suspect may be one of them. */
static void arm_suspects(const struct darn_file *file)
{
    struct darn_fact fact;
    size_t at = 0;

    while (darn_profile_next(file->text, file->length, &at, &fact) == 1) {
        if (fact.kind == DARN_FACT_SUSPECT && !darn_profile_has_pair(fact.site, fact.writer))
            add(fact.writer, 0, DARN_ARMED_SUSPECT);
    }
}

static int load(const struct darn_file *file)
{
    int line = darn_profile_check(file);
    struct darn_fact fact;
    size_t at = 0;

    if (line)
        return line;
    while (darn_profile_next(file->text, file->length, &at, &fact) == 1)
        add_fact(&fact);
    arm_suspects(file);
    return 0;
}

struct errand {
    const char *path;
    struct darn_file file;
    struct darn_pair *pairs;
    uint32_t count;
};

static int read_it(void *argument)
{
    struct errand *errand = argument;

    return darn_file_read(&errand->file, errand->path);
}

static int merge_it(void *argument)
{
    struct errand *errand = argument;

    return darn_profile_merge(errand->path, errand->pairs, errand->count);
}

static int run_elsewhere(int (*work)(void *), struct errand *errand)
{
    void *stack = darn_os_allocate(STACK_SIZE);
    int result;

    if (!stack)
        return -ENOMEM;
    result = darn_os_elsewhere(work, errand, stack, STACK_SIZE);
    darn_os_free(stack, STACK_SIZE);
    return result;
}

int darn_profile_load(const char *path)
{
    struct errand errand = {.path = path};
    uint64_t mask = darn_os_block_signals();
    int result = run_elsewhere(read_it, &errand);

    if (result == 0) {
        darn_spin_lock(&lock);
        result = load(&errand.file);
        darn_spin_unlock(&lock);
    }
    darn_file_free(&errand.file);
    darn_os_restore_signals(mask);
    return result;
}

void darn_profile_module(const struct darn_site *start, const struct darn_site *stop)
{
    struct darn_site_keys keys = {0};

    for (const struct darn_site *site = start; site < stop; site++) {
        uint32_t bits;

        if (site->version != DARN_SITE_VERSION)
            continue;
        bits = darn_facts_get(&known, darn_site_next_key(&keys, site), 0);
        if (bits)
            darn_armed_add(site, bits);
    }
}

bool darn_profile_has_pair(uint64_t reader_key, uint64_t writer_key)
{
    return writer_key && darn_facts_get(&known, reader_key, writer_key) & bit(DARN_FACT_SPIN);
}

/* Under the lock. */
static void keep(const struct darn_pair *pair)
{
    uint32_t count = atomic_load_explicit(&pair_count, memory_order_relaxed);

    if (!pairs)
        pairs = darn_os_allocate(PAIRS * sizeof(*pairs));
    if (!pairs || count == PAIRS) {
        darn_count(DARN_COUNT_FACTS_LOST);
        return;
    }
    pairs[count] = *pair;
    atomic_store_explicit(&pair_count, count + 1, memory_order_release);
}

/* Whether there is nothing new in it. A pair that only a loaded profile knows is new: the one that
 * is written in the end may be another. */
static bool is_old(const struct darn_pair *pair)
{
    uint32_t bits = darn_facts_get(&known, pair->reader_key, pair->writer_key);

    return bits & bit(pair->kind) << LEARNED ||
           (pair->kind == DARN_FACT_SUSPECT && bits & bit(DARN_FACT_SPIN));
}

void darn_profile_add_pair(enum darn_fact_kind kind, const struct darn_site *reader,
                           const struct darn_site *writer)
{
    struct darn_pair pair = {
        .kind = kind, .reader = darn_site_number(reader), .writer = darn_site_number(writer)};
    uint64_t mask;

    pair.reader_key = darn_site_key_at(pair.reader);
    pair.writer_key = darn_site_key_at(pair.writer);
    if (!pair.reader_key || !pair.writer_key) {
        darn_count(DARN_COUNT_FACTS_LOST);
        return;
    }
    if (is_old(&pair))
        return;
    mask = darn_os_block_signals();
    darn_spin_lock(&lock);
    if (!is_old(&pair)) {
        keep(&pair);
        add(pair.reader_key, pair.writer_key, bit(kind) | bit(kind) << LEARNED);
    }
    darn_spin_unlock(&lock);
    darn_os_restore_signals(mask);
}

/* Takes no lock: whoever holds it may never come back, if the program dies of a signal. */
int darn_profile_write(const char *path)
{
    uint32_t count = atomic_load_explicit(&pair_count, memory_order_acquire);
    struct errand errand = {.path = path};
    size_t size = count * sizeof(*pairs);
    int result;

    if (count) {
        errand.pairs = darn_os_allocate(size);
        if (errand.pairs) {
            memcpy(errand.pairs, pairs, size);
            errand.count = count;
        } else {
            darn_count(DARN_COUNT_FACTS_LOST);
        }
    }
    result = run_elsewhere(merge_it, &errand);
    if (errand.pairs)
        darn_os_free(errand.pairs, size);
    return result;
}

void darn_profile_after_fork(void)
{
    darn_spin_unlock(&lock);
}
