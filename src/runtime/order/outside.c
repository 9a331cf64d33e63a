#define _GNU_SOURCE
#include "runtime/order/outside.h"

#include <assert.h>
#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "base/hash.h"
#include "runtime/os/os.h"
#include "runtime/os/real_function.h"
#include "site/site_guard.h"

__attribute__((visibility("default"))) volatile uint8_t darn_outside;
extern volatile uint8_t darn_outside_here __attribute__((alias("darn_outside")));

volatile uint8_t darn_openmp;
struct darn_outside_range darn_outside_program;

/* Where interceptors are (interpose/intercept.h). */
extern const char __start_darn_text[] __attribute__((weak, visibility("hidden")));
extern const char __stop_darn_text[] __attribute__((weak, visibility("hidden")));

/* Libraries that synchronize by pthreads, or not at all. */
static const char *const libraries[] = {
    "ld-linux", "libc.",   "libm.",   "libpthread.", "libdl.",   "librt.",  "libstdc++.",
    "libgcc_s", "libmvec", "libutil", "libresolv",   "libcrypt", "libnss_", "linux-vdso",
    "libz.",    "libbz2.", "liblzma", "liblz4.",     "libzstd.", "libdarn", "libpcre",
};

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static bool is_openmp(const char *path)
{
    return strncmp(name_of(path), "libomp.", strlen("libomp.")) == 0;
}

static bool is_known_library(const char *path)
{
    const char *name = name_of(path);

    if (is_openmp(path))
        return darn_openmp != DARN_OPENMP_SILENT;
    for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++) {
        if (strncmp(name, libraries[i], strlen(libraries[i])) == 0)
            return true;
    }
    return false;
}

static bool ask_loader(uintptr_t code, struct dl_find_object *module)
{
    static int (*volatile find)(void *, struct dl_find_object *);

    if (!find)
        find = (int (*)(void *, struct dl_find_object *))darn_real("_dl_find_object");
    return find((void *)code, module) == 0;
}

static struct link_map *module_of(uintptr_t code)
{
    struct dl_find_object module;

    return ask_loader(code, &module) ? module.dlfo_link_map : NULL;
}

bool darn_outside_module(uintptr_t code, struct darn_outside_module *module)
{
    struct dl_find_object found;

    if (!ask_loader(code, &found))
        return false;
    module->start = (uintptr_t)found.dlfo_map_start;
    module->end = (uintptr_t)found.dlfo_map_end;
    module->functions = (uintptr_t)found.dlfo_eh_frame;
    return true;
}

bool darn_outside_is_marked(uintptr_t code)
{
    uint64_t mark = 0;

    return code > sizeof(mark) &&
           darn_os_copy(&mark, (const void *)(code - sizeof(mark)), sizeof(mark)) ==
               (long)sizeof(mark) &&
           mark == DARN_INSIDE;
}

/* An entry of the linkage table jumps to where a word says: "jmp *distance(%rip)", with or without
 * an "endbr64" before it. 0: it is none. */
static uintptr_t target_of(uintptr_t code)
{
    unsigned char bytes[10];
    int32_t distance;
    uintptr_t target;
    size_t at;

    if (darn_os_copy(bytes, (const void *)code, sizeof(bytes)) != (long)sizeof(bytes))
        return 0;
    at = memcmp(bytes, "\xf3\x0f\x1e\xfa", 4) == 0 ? 4 : 0;
    if (bytes[at] != 0xff || bytes[at + 1] != 0x25)
        return 0;
    memcpy(&distance, bytes + at + 2, sizeof(distance));
    target = code + at + 6 + (uintptr_t)(intptr_t)distance;
    if (darn_os_copy(&target, (const void *)target, sizeof(target)) != (long)sizeof(target))
        return 0;
    return target;
}

static bool is_interceptor(uintptr_t code)
{
    return code >= (uintptr_t)__start_darn_text && code < (uintptr_t)__stop_darn_text;
}

static bool is_libc(const struct link_map *module)
{
    return module && strncmp(name_of(module->l_name), "libc.", strlen("libc.")) == 0;
}

/* Strictly: what libc does there may tell other threads something. */
static bool is_known(uintptr_t code, bool strictly, bool *for_good)
{
    const struct link_map *module;

    if (is_interceptor(code) || darn_outside_is_marked(code))
        return true;
    module = module_of(code);
    if (!module || !*module->l_name || !is_known_library(module->l_name) ||
        (strictly && is_libc(module)))
        return false;
    *for_good &= darn_openmp != DARN_OPENMP_PERHAPS || !is_openmp(module->l_name);
    return true;
}

static bool is_known_there(uintptr_t code, bool strictly, bool *for_good)
{
    uintptr_t target;

    *for_good = true;
    if (is_known(code, strictly, for_good))
        return true;
    target = target_of(code);
    if (!target)
        return false;
    *for_good = module_of(target) != module_of(code); /* else it is not bound yet */
    return is_known(target, strictly, for_good);
}

bool darn_outside_is_known(uintptr_t code, bool *for_good)
{
    return is_known_there(code, false, for_good);
}

/* By the time it has threads, OpenMP has told so, or never will. */
bool darn_outside_starts(uintptr_t code)
{
    const struct link_map *module = module_of(code);
    bool for_good;

    if (darn_openmp == DARN_OPENMP_PERHAPS && module && is_openmp(module->l_name))
        darn_openmp = DARN_OPENMP_SILENT;
    return !darn_outside_is_known(code, &for_good);
}

static enum darn_outside_answer find_out(uintptr_t code, bool strictly, bool *for_good)
{
    if (is_known_there(code, strictly, for_good))
        return DARN_OUTSIDE_IS_KNOWN;
    return strictly && darn_outside_is_known(code, for_good) ? DARN_OUTSIDE_IS_LIBC
                                                             : DARN_OUTSIDE_IS_FOREIGN;
}

/*
 * What was found out for good, by hash: the code, whether it was asked strictly, and the answer, in
 * one word. A program that waits in a library for what comes calls it, and is called by it, with
 * each request.
 */
#define ANSWERS 1024
static _Atomic uint64_t answers[ANSWERS];

static uint64_t question(uintptr_t code, bool strictly)
{
    return (uint64_t)code << 3 | (uint64_t)strictly << 2;
}

static_assert(DARN_OUTSIDE_IS_FOREIGN < 4, "an answer has two bits");

enum darn_outside_answer darn_outside_ask(uintptr_t code, volatile uint8_t *asks)
{
    bool for_good = true, strictly = asks && *asks == DARN_ASKS_STRICTLY;
    uint64_t question_now = question(code, strictly);
    _Atomic uint64_t *slot = &answers[darn_spread(question_now) % ANSWERS];
    uint64_t known = atomic_load_explicit(slot, memory_order_relaxed);
    enum darn_outside_answer answer = known & 3;

    if ((known & ~UINT64_C(3)) != question_now) {
        answer = find_out(code, strictly, &for_good);
        if (for_good)
            atomic_store_explicit(slot, question_now | answer, memory_order_relaxed);
    }
    if (answer == DARN_OUTSIDE_IS_KNOWN && for_good && asks)
        *asks = 0; /* each module that calls it has a byte of its own */
    return answer;
}

void darn_outside_forget(void)
{
    for (size_t i = 0; i < ANSWERS; i++)
        atomic_store_explicit(&answers[i], 0, memory_order_relaxed);
}

bool darn_outside_is_ours(uintptr_t code)
{
    const struct link_map *module;

    if (darn_outside_is_program(code))
        return true;
    module = module_of(code);
    /* The program itself has no name. */
    return module && (!*module->l_name || !is_known_library(module->l_name));
}

bool darn_outside_is_libc(uintptr_t code)
{
    return is_libc(module_of(code));
}

bool darn_outside_is_module(uintptr_t address)
{
    return module_of(address);
}

static int look(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    if (*info->dlpi_name && !is_known_library(info->dlpi_name))
        darn_outside = 1;
    return 0;
}

void darn_outside_open(void)
{
    const struct link_map *module = module_of((uintptr_t)look);
    struct darn_outside_module own;

    if (module && !*module->l_name && darn_outside_module((uintptr_t)look, &own))
        darn_outside_program = (struct darn_outside_range){own.start, own.end - own.start};
}

void darn_outside_look(void)
{
    darn_real_modules(look, NULL);
}
