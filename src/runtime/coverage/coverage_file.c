#define _GNU_SOURCE
#include "runtime/coverage/coverage_file.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/text.h"
#include "runtime/os/os.h"
#include "runtime/os/os_spin.h"
#include "runtime/os/real_function.h"
#include "runtime/report/counters.h"
#include "runtime/watch/sites.h"

/* Hashes of the facts that are in the file: 64 bits, of which two that are equal by chance would
 * hide a fact. Shared with the children of the process, or each run of a fork server would tell
 * everything again. */
#define KNOWN  (UINT32_C(1) << 17)
#define PROBES 64
static _Atomic uint64_t *known;

/* Keys of calls, by their addresses. */
struct darn_coverage_call darn_coverage_calls[DARN_COVERAGE_CALLS];

static char path[PATH_MAX], program[PATH_MAX];
static struct darn_site_copy copy;
static char line[4096];
static struct darn_spin lock; /* of what is above, but the two tables */

int darn_coverage_file_open(const char *file)
{
    ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
    void *memory = mmap(NULL, KNOWN * sizeof(*known), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (memory == MAP_FAILED)
        return -ENOMEM;
    program[length > 0 ? length : 0] = '\0';
    strncpy(path, file, sizeof(path) - 1);
    known = memory;
    return darn_os_append(path, 0, DARN_COVERAGE_FIRST_LINE "\n",
                          sizeof(DARN_COVERAGE_FIRST_LINE "\n") - 1);
}

/* The end of SplitMix64: each bit of the result depends on all. */
static uint64_t mix(uint64_t word)
{
    word = (word ^ word >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
    return word ^ word >> 31;
}

static uint64_t hash_of(uint64_t kind, uint64_t first, uint64_t second)
{
    uint64_t hash = mix(mix(first + kind * DARN_HASH_PRIME) ^ second);

    return hash ? hash : 1;
}

/* Whether it was known; it is from now on. */
static bool is_known(uint64_t hash, bool add)
{
    for (uint32_t i = 0; i < PROBES; i++) {
        _Atomic uint64_t *cell = &known[(hash + i) % KNOWN];
        uint64_t there = atomic_load_explicit(cell, memory_order_relaxed);

        if (there == hash)
            return true;
        if (there)
            continue;
        if (!add)
            return false;
        if (atomic_compare_exchange_strong(cell, &there, hash))
            return false;
        if (there == hash)
            return true;
    }
    darn_count(DARN_COUNT_COVERAGE_FULL);
    return true;
}

bool darn_coverage_is_known(enum darn_coverage_kind kind, uint64_t first, uint64_t second)
{
    return is_known(hash_of(kind, first, second), false);
}

static void add_key(struct darn_text *text, uint64_t key)
{
    darn_text_char(text, ' ');
    for (int shift = 60; shift >= 0; shift -= 4)
        darn_text_char(text, "0123456789abcdef"[key >> shift & 15]);
}

/* A name with a blank or a line break in it would be two. */
static void add_name(struct darn_text *text, const char *name, bool keeps_blanks)
{
    darn_text_char(text, ' ');
    if (!*name)
        darn_text_char(text, '?');
    for (; *name; name++)
        darn_text_char(text,
                       (unsigned char)*name < ' ' || (*name == ' ' && !keeps_blanks) ? '_' : *name);
}

static void put_line(struct darn_text *text)
{
    if (text->cut) /* the name of a file that is longer than any */
        text->to[text->used - 1] = '\n';
    else
        darn_text_char(text, '\n');
    if (darn_os_append(path, 0, text->to, text->used) < 0)
        darn_count(DARN_COUNT_COVERAGE_LOST);
}

/* Under the lock. */
static void put_site(uint32_t number, uint64_t key)
{
    static const char *const ops[] = {"read", "write", "update"};
    const struct darn_site *site = &copy.site;
    struct darn_text text;

    if (is_known(hash_of(DARN_COVERAGE_KINDS, key, 0), true) || !darn_site_copy(&copy, number))
        return;
    darn_text_start(&text, line, sizeof(line) - 1);
    darn_text_add(&text, "site");
    add_key(&text, key);
    add_name(&text, copy.file, false);
    darn_text_char(&text, ':');
    darn_text_number(&text, site->line);
    darn_text_char(&text, ':');
    darn_text_number(&text, site->column);
    add_name(&text, copy.function, false);
    add_name(&text, site->kind < 3 ? ops[site->kind] : "access", false);
    add_name(&text, copy.variable, true);
    put_line(&text);
}

static void put_fact(enum darn_coverage_kind kind, uint64_t first, uint64_t second)
{
    static const char *const words[] = DARN_COVERAGE_WORDS;
    struct darn_text text;

    darn_text_start(&text, line, sizeof(line) - 1);
    darn_text_add(&text, words[kind]);
    add_key(&text, first);
    if (darn_coverage_keys(kind) == 2)
        add_key(&text, second);
    put_line(&text);
}

void darn_coverage_put_sites(enum darn_coverage_kind kind, uint32_t first, uint32_t second)
{
    uint64_t keys[2] = {darn_site_key_at(first), darn_site_key_at(second)}, mask;

    /* By number, as it is looked up, and by key: copies of an inlined function have one. */
    if (!keys[0] || !keys[1] || is_known(hash_of(kind, first, second), true) ||
        is_known(hash_of(kind + DARN_COVERAGE_KINDS + 1, keys[0], keys[1]), true))
        return;
    mask = darn_os_block_signals();
    darn_spin_lock(&lock);
    put_site(first, keys[0]);
    put_site(second, keys[1]);
    put_fact(kind, keys[0], keys[1]);
    darn_spin_unlock(&lock);
    darn_os_restore_signals(mask);
}

void darn_coverage_put_calls(enum darn_coverage_kind kind, uint64_t first, uint64_t second)
{
    uint64_t mask;

    if (!first || (darn_coverage_keys(kind) == 2 && !second) ||
        is_known(hash_of(kind, first, second), true))
        return;
    mask = darn_os_block_signals();
    darn_spin_lock(&lock);
    put_fact(kind, first, second);
    darn_spin_unlock(&lock);
    darn_os_restore_signals(mask);
}

/* ---- calls ---- */

/* Which file has the code at this address, and the address there. NULL: none. */
static const char *find_file(uintptr_t pc, uint64_t *offset)
{
    static int (*find)(void *, struct dl_find_object *);
    struct dl_find_object object;
    const char *name;

    if (!find)
        find = (int (*)(void *, struct dl_find_object *))darn_real("_dl_find_object");
    if (!find || find((void *)pc, &object))
        return NULL;
    *offset = pc - object.dlfo_link_map->l_addr;
    name = object.dlfo_link_map->l_name;
    return name && *name ? name : program;
}

static uint64_t put_call(uintptr_t pc)
{
    uint64_t offset, key;
    const char *file = find_file(pc - 1, &offset);
    struct darn_text text;

    if (!file)
        return 0;
    key = darn_hash_word(darn_hash_string(DARN_HASH_START, file), offset);
    key = key ? key : 1;
    if (is_known(hash_of(DARN_COVERAGE_KINDS, key, 1), true))
        return key;
    darn_text_start(&text, line, sizeof(line) - 1);
    darn_text_add(&text, "call");
    add_key(&text, key);
    darn_text_add(&text, " 0x");
    darn_text_hex(&text, offset);
    add_name(&text, file, true);
    put_line(&text);
    return key;
}

uint64_t darn_coverage_call(uintptr_t pc)
{
    struct darn_coverage_call *call = darn_coverage_cell(pc);
    uint64_t key, mask;

    if (atomic_load_explicit(&call->pc, memory_order_acquire) == pc)
        return call->key;
    mask = darn_os_block_signals();
    darn_spin_lock(&lock);
    key = put_call(pc);
    /* The first one stays: others in the same cell are looked up each time. A reader never sees the
     * address of one and the key of another. */
    if (!atomic_load_explicit(&call->pc, memory_order_relaxed)) {
        call->key = key;
        atomic_store_explicit(&call->pc, pc, memory_order_release);
    }
    darn_spin_unlock(&lock);
    darn_os_restore_signals(mask);
    return key;
}

void darn_coverage_see_call(enum darn_coverage_kind kind, uintptr_t pc)
{
    uint64_t key = darn_coverage_call(pc);
    struct darn_coverage_call *call = darn_coverage_find(pc);

    darn_coverage_put_calls(kind, key, 0);
    if (call)
        atomic_fetch_or_explicit(&call->seen, UINT32_C(1) << kind, memory_order_relaxed);
}
