#include "runtime/watch/sites.h"

#include <stddef.h>
#include <string.h>

#include "runtime/os/os.h"
#include "runtime/report/counters.h"

#define MODULES 4096

/*
 * Everything but the two atomics is written before `numbered`, which makes the numbers known, and
 * never again. `bytes` makes the addresses known; it is 0 again when something else was loaded
 * there.
 */
struct module {
    const struct darn_site *start;
    uint32_t first; /* number */
    uint32_t count;
    uint64_t *keys;
    _Atomic uint8_t *marks;
    uint64_t print; /* a hash of all keys */
    _Atomic bool numbered;
    _Atomic uint64_t bytes;
};

static struct module modules[MODULES];
static _Atomic uint32_t claimed; /* may be more than there are */
static _Atomic uint32_t numbers;

/*
 * Where a site was found last, by the address of its record. A program works with few modules: most
 * of the time the answer is here. An old or wrong one is noticed, for the module says what it has.
 */
#define RECENT       64
#define RECENT_SHIFT 16

static _Atomic(struct module *) recent[RECENT];

static uint32_t module_count(void)
{
    uint32_t count = atomic_load_explicit(&claimed, memory_order_acquire);

    return count < MODULES ? count : MODULES;
}

static bool contains(const struct module *module, const struct darn_site *site)
{
    uint64_t bytes = atomic_load_explicit(&module->bytes, memory_order_acquire);

    return bytes && (uintptr_t)site - (uintptr_t)module->start < bytes;
}

static struct module *search(const struct darn_site *site)
{
    uint32_t count = module_count();

    for (uint32_t i = 0; i < count; i++) {
        if (contains(&modules[i], site))
            return &modules[i];
    }
    return NULL;
}

static struct module *module_of(const struct darn_site *site)
{
    _Atomic(struct module *) *slot = &recent[((uintptr_t)site >> RECENT_SHIFT) % RECENT];
    struct module *module = atomic_load_explicit(slot, memory_order_relaxed);

    if (__builtin_expect(module && contains(module, site), 1))
        return module;
    module = search(site);
    if (module)
        atomic_store_explicit(slot, module, memory_order_relaxed);
    return module;
}

static struct module *module_with(uint32_t number)
{
    uint32_t count = module_count();

    for (uint32_t i = 0; i < count; i++) {
        struct module *module = &modules[i];

        if (atomic_load_explicit(&module->numbered, memory_order_acquire) &&
            number - module->first < module->count)
            return module;
    }
    return NULL;
}

struct darn_site_entry darn_site_find(const struct darn_site *site)
{
    struct module *module = module_of(site);
    uint32_t index;

    if (!module)
        return (struct darn_site_entry){NULL, DARN_SITE_UNKNOWN};
    index = (uint32_t)(site - module->start);
    return (struct darn_site_entry){&module->marks[index], module->first + index};
}

uint32_t darn_site_number(const struct darn_site *site)
{
    return (uint32_t)darn_site_find(site).number;
}

uint32_t darn_sites_count(void)
{
    return atomic_load_explicit(&numbers, memory_order_acquire);
}

const struct darn_site *darn_site_at(uint32_t number)
{
    struct module *module = module_with(number);
    const struct darn_site *site = module ? &module->start[number - module->first] : NULL;

    return module && contains(module, site) ? site : NULL;
}

uint64_t darn_site_key_at(uint32_t number)
{
    struct module *module = module_with(number);

    return module ? module->keys[number - module->first] : 0;
}

bool darn_site_is_marked(uint32_t number)
{
    struct module *module = module_with(number);

    return module &&
           atomic_load_explicit(&module->marks[number - module->first], memory_order_relaxed);
}

bool darn_site_mark(uint32_t number)
{
    struct module *module = module_with(number);

    return module && !atomic_exchange_explicit(&module->marks[number - module->first], 1,
                                               memory_order_relaxed);
}

static uint64_t print_of(const struct darn_site *start, uint32_t count, uint64_t *keys)
{
    struct darn_site_keys maker = {0};
    uint64_t print = DARN_HASH_START;

    for (uint32_t i = 0; i < count; i++) {
        /* Parts that another version has compiled keep their index, but say nothing. */
        if (start[i].version == DARN_SITE_VERSION)
            keys[i] = darn_site_next_key(&maker, &start[i]);
        print = darn_fold(print, keys[i]);
    }
    return print;
}

/* The same module at the same address, loaded again or still there. Anything else that is known to
 * lie there was unloaded. */
static struct module *make_way(const struct module *wanted)
{
    uint32_t count = module_count();
    uintptr_t start = (uintptr_t)wanted->start;
    uintptr_t end = start + wanted->count * sizeof(struct darn_site);
    struct module *same = NULL;

    for (uint32_t i = 0; i < count; i++) {
        struct module *other = &modules[i];
        uintptr_t other_start, other_end;

        if (!atomic_load_explicit(&other->numbered, memory_order_acquire))
            continue;
        other_start = (uintptr_t)other->start;
        other_end = other_start + other->count * sizeof(struct darn_site);
        if (other_start >= end || other_end <= start)
            continue;
        if (other_start == start && other_end == end && other->print == wanted->print)
            same = other;
        else
            atomic_store(&other->bytes, 0);
    }
    return same;
}

void darn_sites_add(const struct darn_site *start, const struct darn_site *stop)
{
    uint64_t bytes = start < stop ? (uint64_t)(stop - start) * sizeof(*start) : 0;
    struct module made = {.start = start, .count = (uint32_t)(stop - start)}, *module;
    size_t size = made.count * (sizeof(*made.keys) + sizeof(*made.marks));
    uint32_t index;

    if (!bytes)
        return;
    made.keys = darn_os_allocate(size);
    if (!made.keys) {
        darn_count(DARN_COUNT_SITES_UNKNOWN);
        return;
    }
    made.marks = (_Atomic uint8_t *)(made.keys + made.count);
    made.print = print_of(start, made.count, made.keys);
    module = make_way(&made);
    if (module) {
        darn_os_free(made.keys, size);
        atomic_store(&module->bytes, bytes);
        return;
    }
    index = atomic_fetch_add(&claimed, 1);
    if (index >= MODULES) {
        atomic_store(&claimed, MODULES);
        darn_os_free(made.keys, size);
        darn_count(DARN_COUNT_SITES_UNKNOWN);
        return;
    }
    module = &modules[index];
    module->start = start;
    module->count = made.count;
    module->keys = made.keys;
    module->marks = made.marks;
    module->print = made.print;
    module->first = atomic_fetch_add(&numbers, made.count);
    atomic_store(&module->numbered, true);
    atomic_store(&module->bytes, bytes);
}

static bool copy_text(char *to, const char *from, size_t size)
{
    long got = darn_os_copy(to, from, size);

    return got > 0 && memchr(to, '\0', (size_t)got);
}

bool darn_site_copy(struct darn_site_copy *copy, uint32_t number)
{
    const struct darn_site *original = darn_site_at(number);
    struct darn_site *site = &copy->site, head;
    struct darn_scope scope;
    const char *texts;

    if (!original || darn_os_copy(site, original, sizeof(*site)) != sizeof(*site))
        return false;
    copy->file[0] = copy->function[0] = copy->variable[0] = '\0';
    if (site->place) {
        original -= site->place;
        if (darn_os_copy(&head, original, sizeof(head)) != sizeof(head))
            return false;
        texts = (const char *)((uintptr_t)&original->texts + (uintptr_t)(intptr_t)head.texts);
        if (darn_os_copy(&scope, texts + site->scope, sizeof(scope)) != sizeof(scope) ||
            !copy_text(copy->file, texts + scope.file, sizeof(copy->file)) ||
            !copy_text(copy->function, texts + scope.function, sizeof(copy->function)) ||
            !copy_text(copy->variable, texts + site->variable, sizeof(copy->variable)))
            return false;
    }
    /* Something else may lie there by now. */
    return darn_site_key_of(site, copy->file, copy->function) == darn_site_key_at(number);
}

bool darn_site_is_mapped(const struct darn_site *site)
{
    return darn_os_is_mapped((uintptr_t)site) &&
           darn_os_is_mapped((uintptr_t)(site - site->place)) &&
           darn_os_is_mapped((uintptr_t)darn_site_armed(site));
}
