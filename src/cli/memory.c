/*
 * The command without memory: one line, and status 1.
 *
 * Some 300 places of ours allocate, and libc, libdw, libelf and jansson do as well: a line that
 * getline could not hold reads as the end of its file, a stack that libdw had no room for as code
 * without debug information. What is lost so is lost in silence. There is nothing sensible left to
 * do for a command either, so it ends here, wherever it is. Our libraries check nevertheless: the
 * tests use them without this file.
 *
 * Only the command has it; the allocator behind it is libc's, or what the user preloaded.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((noreturn, cold)) static void end(void)
{
    static const char line[] = "darn: out of memory\n";
    static atomic_flag ending = ATOMIC_FLAG_INIT;
    ssize_t ignored;

    /* exit() runs what removes temporary files, and that may come here again. */
    if (atomic_flag_test_and_set(&ending))
        _exit(1);
    ignored = write(STDERR_FILENO, line, sizeof(line) - 1);
    (void)ignored;
    exit(1);
}

/* Two threads may look it up at once: both find the same. */
#define NEXT(name)                                                                                 \
    static _Atomic(__typeof__(name) *) known;                                                      \
    __typeof__(name) *next = atomic_load_explicit(&known, memory_order_relaxed);                   \
    if (!next) {                                                                                   \
        next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name);                                        \
        atomic_store_explicit(&known, next, memory_order_relaxed);                                 \
    }

void *malloc(size_t size)
{
    NEXT(malloc)
    void *memory = next(size);

    if (!memory && size)
        end();
    return memory;
}

void *calloc(size_t count, size_t size)
{
    NEXT(calloc)
    void *memory = next(count, size);

    if (!memory && count && size)
        end();
    return memory;
}

void *realloc(void *old, size_t size)
{
    NEXT(realloc)
    void *memory = next(old, size);

    if (!memory && size)
        end();
    return memory;
}
