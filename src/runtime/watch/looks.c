#include "runtime/watch/looks.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "runtime/os/os.h"
#include "runtime/report/counters.h"
#include "runtime/thread/thread.h"
#include "runtime/watch/attention.h"
#include "site/armed.h"

#define MODULES 4096

/* A site is cold until it has been come by so often, by whatever threads. A program with thousands
 * of sites would pay for a thousand times each for seconds: as long as more is spent on what is
 * remembered than the budget allows (spending.h), each time counts for so many. */
#define OFTEN 1000
#define HURRY 50

/*
 * How often cold sites were come by, by the place of their armed byte. These stand side by side, so
 * two sites share a counter only in programs with more sites than that; both are then cold for a
 * shorter time.
 */
#define COUNTERS 32768
static _Atomic uint16_t counters[COUNTERS];

/*
 * Where the bytes of a module lie. Chunks in which some site is not cold any more are followed:
 * only there attention is told. Before anything is cold, all are. Everything here is protected by
 * the lock of attention.c; guards read their bytes without it, and may read an old one.
 */
struct module {
    const struct darn_site *start, *stop;
    uint8_t *bytes; /* NULL: it is gone */
    size_t chunks;
    uint64_t *followed; /* a bit for each chunk */
};

static struct module modules[MODULES];
static size_t count;
static bool is_cold; /* the cold are told from the others */
static bool is_raised, is_over;

static size_t words_of(size_t chunks)
{
    return (chunks + 63) / 64;
}

#define EACH_BYTE UINT64_C(0x0101010101010101)

static void set_chunk(uint8_t *chunk)
{
    uint64_t *looks = (uint64_t *)(chunk + DARN_ARMED_TOGETHER);
    const uint64_t *armed = (const uint64_t *)chunk;

    for (size_t i = 0; i < DARN_ARMED_TOGETHER / sizeof(uint64_t); i++) {
        uint64_t look = is_raised ? EACH_BYTE : 0;

        if (is_cold)
            look |= __atomic_load_n(&armed[i], __ATOMIC_RELAXED) / DARN_ARMED_COLD & EACH_BYTE;
        __atomic_store_n(&looks[i], look, __ATOMIC_RELAXED);
    }
}

static_assert(DARN_ARMED_COLD == 0x80, "set_chunk takes the highest bit of each byte");

static void set_module(const struct module *module, bool all)
{
    for (size_t word = 0; module->bytes && word < words_of(module->chunks); word++) {
        uint64_t bits = all ? UINT64_MAX : module->followed[word];

        for (; bits; bits &= bits - 1) {
            size_t chunk = word * 64 + (size_t)__builtin_ctzll(bits);

            if (chunk < module->chunks)
                set_chunk(module->bytes + chunk * DARN_ARMED_CHUNK);
        }
    }
}

static void set_all(bool all)
{
    for (size_t i = 0; i < count; i++)
        set_module(&modules[i], all);
}

void darn_looks_set(bool raised)
{
    if (raised == is_raised)
        return;
    is_raised = raised;
    set_all(!is_cold);
}

/* What has a guard that looks at a byte of its own, and is remembered. */
static bool may_be_cold(const struct darn_site *site)
{
    return site->version == DARN_SITE_VERSION && site->kind <= DARN_SITE_UPDATE &&
           !(site->flags & (DARN_SITE_EXTRA | DARN_SITE_SPIN | DARN_SITE_AFTER));
}

static void make_cold(const struct module *module)
{
    for (const struct darn_site *site = module->start; module->bytes && site < module->stop;
         site++) {
        if (may_be_cold(site))
            darn_armed_add(site, DARN_ARMED_COLD);
    }
}

void darn_looks_begin(void)
{
    uint64_t mask = darn_attention_lock();

    if (!is_cold && !is_over) {
        is_cold = true;
        for (size_t i = 0; i < count; i++)
            make_cold(&modules[i]);
        set_all(true);
    }
    darn_attention_unlock(mask);
}

void darn_looks_end(void)
{
    is_over = true;
    is_cold = is_raised = false;
    set_all(true);
}

static struct module *module_of(const struct darn_site *site)
{
    for (size_t i = 0; i < count; i++) {
        if (modules[i].bytes && site >= modules[i].start && site < modules[i].stop)
            return &modules[i];
    }
    return NULL;
}

/* Runs often from now on. */
static void make_hot(const struct darn_site *site)
{
    uint64_t mask = darn_attention_lock();
    struct module *module = module_of(site);

    darn_armed_remove(site, DARN_ARMED_COLD);
    if (module) {
        size_t chunk =
            (size_t)((uint8_t *)darn_site_armed(site) - module->bytes) / DARN_ARMED_CHUNK;

        module->followed[chunk / 64] |= UINT64_C(1) << chunk % 64;
        set_chunk(module->bytes + chunk * DARN_ARMED_CHUNK);
    }
    darn_attention_unlock(mask);
}

static _Atomic uint16_t *counter_of(const struct darn_site *site)
{
    uintptr_t place = (uintptr_t)darn_site_armed(site);

    return &counters[(place / DARN_ARMED_CHUNK * DARN_ARMED_TOGETHER +
                      place % DARN_ARMED_TOGETHER) %
                     COUNTERS];
}

void darn_looks_count(const struct darn_site *site, bool is_affordable)
{
    _Atomic uint16_t *counter = counter_of(site);
    uint16_t times = atomic_load_explicit(counter, memory_order_relaxed);

    times = (uint16_t)(times + (is_affordable ? 1 : HURRY));
    /* Who comes at the same time may not be counted: it is cheaper than to be exact. */
    atomic_store_explicit(counter, times < OFTEN ? times : 0, memory_order_relaxed);
    if (times >= OFTEN)
        make_hot(site);
}

static struct module *free_module(void)
{
    for (size_t i = 0; i < count; i++) {
        if (!modules[i].bytes)
            return &modules[i];
    }
    return count < MODULES ? &modules[count++] : NULL;
}

static struct module measure(const struct darn_site *start, const struct darn_site *stop)
{
    uintptr_t first = UINTPTR_MAX, last = 0;

    for (const struct darn_site *site = start; site < stop; site++) {
        uintptr_t byte = (uintptr_t)darn_site_armed(site);

        first = byte < first ? byte : first;
        last = byte > last ? byte : last;
    }
    first -= first % DARN_ARMED_CHUNK;
    return (struct module){.start = start,
                           .stop = stop,
                           .bytes = (uint8_t *)first,
                           .chunks = (last - first) / DARN_ARMED_CHUNK + 1};
}

void darn_looks_add(const struct darn_site *start, const struct darn_site *stop)
{
    struct module made, *module = NULL;
    uint64_t mask;

    if (start >= stop || start->version != DARN_SITE_VERSION)
        return;
    made = measure(start, stop);
    made.followed = darn_os_allocate(words_of(made.chunks) * sizeof(uint64_t));
    mask = darn_attention_lock();
    if (made.followed)
        module = free_module();
    if (module) {
        *module = made;
        if (is_cold)
            make_cold(module);
        set_module(module, true);
    }
    darn_attention_unlock(mask);
    if (!module)
        darn_count(DARN_COUNT_SITES_UNKNOWN);
}

/* What runs after that, such as other threads at the end of the program, looks further always. */
static void forget(struct module *module)
{
    uint8_t *bytes = module->bytes;

    module->bytes = NULL;
    for (size_t chunk = 0; chunk < module->chunks; chunk++)
        memset(bytes + chunk * DARN_ARMED_CHUNK + DARN_ARMED_TOGETHER, 1, DARN_ARMED_TOGETHER);
    darn_os_free(module->followed, words_of(module->chunks) * sizeof(uint64_t));
}

/* A program of one thread may have forbidden itself the calls that the lock takes
 * (docs/security.md); nobody but a signal handler can be here then, and it finds either state. */
static bool is_alone(void)
{
    return !is_cold && darn_threads_alive() < 2;
}

void darn_looks_remove(const struct darn_site *start, const struct darn_site *stop)
{
    bool locks = !is_alone();
    uint64_t mask = locks ? darn_attention_lock() : 0;

    for (size_t i = 0; start < stop && i < count; i++) {
        if (modules[i].start == start && modules[i].bytes)
            forget(&modules[i]);
    }
    if (locks)
        darn_attention_unlock(mask);
}
