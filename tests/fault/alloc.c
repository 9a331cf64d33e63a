/*
 * Preloaded into a command by `inject`: the n-th allocation fails. What the command starts is not
 * preloaded.
 */
#define _GNU_SOURCE
#include "alloc.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define LOOK_UP(name)                                                                              \
    static __typeof__(name) *next;                                                                 \
    if (!next)                                                                                     \
    next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

static struct alloc_fault *fault;

__attribute__((constructor)) static void begin(void)
{
    const char *fd = getenv(ALLOC_FAULT_FD);
    void *page =
        fd ? mmap(NULL, sizeof(*fault), PROT_READ | PROT_WRITE, MAP_SHARED, atoi(fd), 0) : NULL;

    if (!fd || page == MAP_FAILED)
        return;
    close(atoi(fd));
    unsetenv(ALLOC_FAULT_FD);
    unsetenv("LD_PRELOAD");
    fault = page;
}

static bool fails(void)
{
    long call = fault ? atomic_fetch_add(&fault->calls, 1) + 1 : 0;

    if (!call || !fault->n || (fault->all_from ? call < fault->n : call != fault->n))
        return false;
    atomic_fetch_add(&fault->injected, 1);
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    LOOK_UP(malloc);
    return fails() ? NULL : next(size);
}

void *calloc(size_t count, size_t size)
{
    LOOK_UP(calloc);
    return fails() ? NULL : next(count, size);
}

void *realloc(void *memory, size_t size)
{
    LOOK_UP(realloc);
    return fails() ? NULL : next(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    LOOK_UP(aligned_alloc);
    return fails() ? NULL : next(alignment, size);
}
