/* Memory of our own, and which it is. */
#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "runtime/os/os.h"
#include "runtime/os/os_call.h"

#define PAGE   4096
#define PIECES 4096

/* A piece that finds no room here is taken for the program's: its memory then seems to change, and
 * nothing is concluded from it. */
static struct {
    _Atomic uintptr_t start;
    _Atomic size_t size;
} pieces[PIECES];
static _Atomic uint32_t piece_end; /* all that are in use lie below */

/* own_data.h puts all variables of the runtime there. */
#pragma GCC visibility push(hidden)
extern char __start_darn_data[] __attribute__((weak)), __stop_darn_data[] __attribute__((weak));
extern char __start_darn_bss[] __attribute__((weak)), __stop_darn_bss[] __attribute__((weak));
#pragma GCC visibility pop

static void note_piece(uintptr_t start, size_t size)
{
    for (uint32_t i = 0; i < PIECES; i++) {
        uintptr_t none = 0;
        uint32_t end = atomic_load_explicit(&piece_end, memory_order_relaxed);

        if (atomic_load_explicit(&pieces[i].start, memory_order_relaxed) ||
            !atomic_compare_exchange_strong(&pieces[i].start, &none, start))
            continue;
        atomic_store_explicit(&pieces[i].size, size, memory_order_relaxed);
        while (end <= i && !atomic_compare_exchange_weak(&piece_end, &end, i + 1))
            ;
        return;
    }
}

static void forget_piece(uintptr_t start)
{
    uint32_t end = atomic_load_explicit(&piece_end, memory_order_relaxed);

    for (uint32_t i = 0; i < end; i++) {
        if (atomic_load_explicit(&pieces[i].start, memory_order_relaxed) != start)
            continue;
        atomic_store_explicit(&pieces[i].size, 0, memory_order_relaxed);
        atomic_store_explicit(&pieces[i].start, 0, memory_order_release);
        return;
    }
}

void *darn_os_allocate(size_t size)
{
    long result = call(SYS_mmap, 0, (long)size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (result < 0 && result > -PAGE)
        return NULL;
    note_piece((uintptr_t)result, size);
    return (void *)result;
}

void darn_os_free(void *memory, size_t size)
{
    forget_piece((uintptr_t)memory);
    CALL2(SYS_munmap, memory, size);
}

void darn_os_discard(void *start, size_t size)
{
    CALL3(SYS_madvise, start, size, MADV_DONTNEED);
}

void darn_os_each_own(void (*visit)(uintptr_t start, uintptr_t end))
{
    visit((uintptr_t)__start_darn_data, (uintptr_t)__stop_darn_data);
    visit((uintptr_t)__start_darn_bss, (uintptr_t)__stop_darn_bss);
    for (uint32_t i = 0; i < atomic_load(&piece_end); i++) {
        uintptr_t start = atomic_load(&pieces[i].start);

        visit(start, start + ((atomic_load(&pieces[i].size) + PAGE - 1) & ~(size_t)(PAGE - 1)));
    }
}

int darn_os_are_present(uintptr_t start, size_t pages, unsigned char *are)
{
    return (int)CALL3(SYS_mincore, start, pages * PAGE, are);
}
