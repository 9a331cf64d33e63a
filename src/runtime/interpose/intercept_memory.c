/*
 * Allocation: remembers where blocks come from, and treats free as a write to the whole block. For
 * the clocks so is realloc, wherever the block is then: pointers to the old one may not be used. A
 * window sees it in controlled runs only, where the block always moves.
 */
#define _GNU_SOURCE
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>

#include "runtime/control/control.h"
#include "runtime/control/learning.h"
#include "runtime/control/turn.h"
#include "runtime/heal/gates.h"
#include "runtime/heal/quarantine.h"
#include "runtime/interpose/intercept.h"
#include "runtime/order/elsewhere.h"
#include "runtime/order/ends.h"
#include "runtime/order/outside.h"
#include "runtime/os/glibc.h"
#include "runtime/record/record.h"
#include "runtime/record/share.h"
#include "runtime/section/sections.h"
#include "runtime/state.h"
#include "runtime/watch/heap.h"
#include "runtime/watch/hook.h"
#include "runtime/watch/watch.h"

extern volatile uint8_t darn_attention;

/* What dlsym asks for while it looks for the real malloc comes from here, and is never given back.
 */
#define EARLY_SIZE 32768
static _Alignas(16) unsigned char early[EARLY_SIZE];
static _Atomic size_t early_used;
static __thread int resolving __attribute__((tls_model("initial-exec")));

static void *early_allocate(size_t size)
{
    size_t rounded = (size + 31) & ~(size_t)15;
    size_t at = atomic_fetch_add(&early_used, rounded);

    if (at + rounded > EARLY_SIZE)
        return NULL;
    return early + at;
}

static int is_early(const void *block)
{
    return (const unsigned char *)block >= early &&
           (const unsigned char *)block < early + EARLY_SIZE;
}

/* Finds the real function; 0 while that is under way in this thread. */
#define RESOLVED(name)                                                                             \
    (real_##name || (!resolving && (resolving = 1, DARN_REAL(name), resolving = 0, 1)))

static void (*real_free)(void *block); /* defined below */

/* Whether the heap is libc's own. Asked once there are clocks: by then it is known where libc is.
 */
static bool is_libc(const void *block)
{
    static volatile enum { UNKNOWN, OURS, OTHERS } heap;

    if (__builtin_expect(heap == UNKNOWN, 0))
        heap = real_free && darn_outside_is_libc((uintptr_t)real_free) &&
                       darn_block_size(block) == malloc_usable_size((void *)(uintptr_t)block)
                   ? OURS
                   : OTHERS;
    return heap == OURS;
}

/*
 * Whether libc keeps the memory for its next owner, who will come by here. Another allocator may
 * have more ways to give it away (operator new); a block that was mapped goes back to the system.
 */
static bool stays(const void *block)
{
    return is_libc(block) && !darn_block_is_mapped(block);
}

/* Every malloc and free comes by: no call, if it can be. */
static size_t size_of(void *block)
{
    return darn_clocks_kept && is_libc(block) ? darn_block_size(block) : malloc_usable_size(block);
}

/* What ended in this memory is over. Of a block that realloc has left in its place that is true of
 * what was added alone: `kept` bytes are those whose old owners have to know of it. */
static void begin_life(void *block, size_t kept)
{
    size_t size = size_of(block);

    if (size > kept)
        darn_order_forget((uintptr_t)block + kept, size - kept);
}

static void allocated_behind(void *block, size_t kept, size_t size, const void *frame)
{
    if (darn_state.mode == DARN_MODE_HEAL)
        return;
    darn_heap_prepare(block);
    if (darn_clocks_kept && block)
        begin_life(block, kept);
    darn_heap_add(block, size, frame);
    if (__builtin_expect(darn_state.mode != DARN_MODE_WATCH, 0) && block) {
        if (darn_recording)
            darn_record_alloc(block, size, malloc_usable_size(block) - size, frame);
        else if (darn_state.mode == DARN_MODE_LEARN)
            darn_share_forget((uintptr_t)block, size);
        else if (darn_turns && darn_control_wants(DARN_RUN_LEARN))
            darn_learning_forget((uintptr_t)block, size);
    }
}

static void allocated(void *block, size_t size, const void *frame)
{
    allocated_behind(block, 0, size, frame);
}

/* In a controlled run, who uses a block that was given back shall notice. */
#define SPOILED 4096

static void spoil(void *block)
{
    size_t size = malloc_usable_size(block);

    memset(block, 0xdb, size < SPOILED ? size : SPOILED);
    __asm__ volatile("" : : "r"(block) : "memory"); /* the compiler knows that nobody may look */
}

/* In a learning run; a library may have order that nobody sees. Until its next owner has it, who
 * uses it shares it with who has freed it. */
static void end_sharing(const void *block, size_t size, bool is_kept, const void *frame)
{
    bool is_ours = darn_end_is_ours(frame);

    if (is_ours)
        darn_share_end(darn_thread_peek(), (uintptr_t)block, size);
    if (!is_ours || !is_kept)
        darn_share_forget((uintptr_t)block, size);
}

/* Before the block is really free. */
static void freed(void *block, size_t size, const void *frame)
{
    if (darn_state.mode == DARN_MODE_HEAL)
        return;
    if (darn_clocks_kept)
        darn_order_free(darn_thread_peek(), (uintptr_t)block, size, stays(block), frame);
    if (__builtin_expect(darn_state.mode != DARN_MODE_WATCH, 0)) {
        if (darn_recording)
            darn_record_free(block, size, stays(block), frame);
        else if (darn_state.mode == DARN_MODE_LEARN)
            end_sharing(block, size, stays(block), frame);
        else if (darn_turns && darn_control_wants(DARN_RUN_LEARN) &&
                 !(darn_end_is_ours(frame) && stays(block)))
            darn_learning_forget((uintptr_t)block, size); /* else it is shared: end_sharing */
    }
}

/* If there is no memory for a larger one, the old block is still there. */
static void reallocated(void *block, void *old, size_t before, size_t size, const void *frame)
{
    if (block)
        allocated_behind(block, block == old ? before : 0, size, frame);
    else if (old && size)
        allocated(old, malloc_usable_size(old), frame);
}

/* Right before the memory is given back, by whatever call. In a controlled run that is a step
 * whether sites are armed or not: a replay of a schedule without accesses has none. */
static void touch_end(void *block, size_t size, const void *frame)
{
    struct darn_touch touch = {.address = (uintptr_t)block, .size = size, .op = DARN_OP_FREE};

    if (darn_state.ready &&
        (darn_turns || (darn_attention && (darn_watch_is_open() || darn_sections_are_open()))))
        darn_hook_touch(&touch, frame);
}

DARN_INTERCEPT_ALONE(void *, malloc, size_t size)
{
    void *block;

    if (!RESOLVED(malloc))
        return early_allocate(size);
    block = real_malloc(size);
    allocated(block, size, __builtin_frame_address(0));
    return block;
}

DARN_INTERCEPT_ALONE(void *, calloc, size_t count, size_t size)
{
    void *block;

    if (!RESOLVED(calloc))
        return early_allocate(count * size);
    block = real_calloc(count, size);
    allocated(block, count * size, __builtin_frame_address(0));
    return block;
}

/* To where nobody has been, so that those who still use the old block notice. */
static void *move(void *old, size_t size)
{
    void *block = RESOLVED(malloc) && RESOLVED(free) ? real_malloc(size) : NULL;
    size_t before = malloc_usable_size(old);

    if (block) {
        memcpy(block, old, size < before ? size : before);
        spoil(old);
        real_free(old);
    }
    return block;
}

/* Before the block is really another one. Whether it is to be moved. */
static bool end_old(void *old, size_t before, size_t size, const void *frame)
{
    bool moves = old && size && darn_turns && darn_turn_has_others();

    if (old && darn_turns)
        touch_end(old, before, frame);
    if (old)
        freed(old, before, frame);
    return moves;
}

DARN_INTERCEPT_ALONE(void *, realloc, void *old, size_t size)
{
    void *block;
    size_t before;

    if (is_early(old) || !RESOLVED(realloc)) {
        size_t known = old ? (size_t)(early + EARLY_SIZE - (unsigned char *)old) : 0;

        block = malloc(size);
        if (block && old)
            memcpy(block, old, size < known ? size : known);
        return block;
    }
    before = malloc_usable_size(old);
    if (end_old(old, before, size, __builtin_frame_address(0)))
        block = move(old, size);
    else
        block = real_realloc(old, size);
    darn_heap_remove(old);
    reallocated(block, old, before, size, __builtin_frame_address(0));
    return block;
}

DARN_INTERCEPT_ALONE(void *, reallocarray, void *old, size_t count, size_t size)
{
    void *block;
    size_t bytes, before = malloc_usable_size(old);
    bool fits = !__builtin_mul_overflow(count, size, &bytes);

    if (end_old(old, before, fits ? bytes : 0, __builtin_frame_address(0)))
        block = move(old, bytes);
    else
        block = DARN_REAL(reallocarray)(old, count, size);
    darn_heap_remove(old);
    reallocated(block, old, before, bytes, __builtin_frame_address(0));
    return block;
}

DARN_INTERCEPT_ALONE(int, posix_memalign, void **block, size_t alignment, size_t size)
{
    int result = DARN_REAL(posix_memalign)(block, alignment, size);

    if (result == 0)
        allocated(*block, size, __builtin_frame_address(0));
    return result;
}

DARN_INTERCEPT_ALONE(void *, aligned_alloc, size_t alignment, size_t size)
{
    void *block = DARN_REAL(aligned_alloc)(alignment, size);

    allocated(block, size, __builtin_frame_address(0));
    return block;
}

DARN_INTERCEPT_ALONE(void *, memalign, size_t alignment, size_t size)
{
    void *block = DARN_REAL(memalign)(alignment, size);

    allocated(block, size, __builtin_frame_address(0));
    return block;
}

DARN_INTERCEPT_ALONE(void *, valloc, size_t size)
{
    void *block = DARN_REAL(valloc)(size);

    allocated(block, size, __builtin_frame_address(0));
    return block;
}

DARN_INTERCEPT_ALONE(void *, pvalloc, size_t size)
{
    void *block = DARN_REAL(pvalloc)(size);

    allocated(block, size, __builtin_frame_address(0));
    return block;
}

DARN_INTERCEPT_ALONE(void, free, void *block)
{
    size_t size;

    if (!block || is_early(block))
        return;
    if (darn_gate_end(block, __builtin_frame_address(0)) && darn_quarantine_block(block, real_free))
        return;
    darn_heap_prepare(block); /* the block itself is not in the cache either: both at once */
    size = size_of(block);
    touch_end(block, size, __builtin_frame_address(0));
    freed(block, size, __builtin_frame_address(0));
    if (darn_turns)
        spoil(block);
    if (RESOLVED(free))
        real_free(block);
    darn_heap_remove(block);
}

enum shares { NOWHERE, IN_PROCESSES, IN_FILES }; /* where else it may be */

static enum shares shares_by(int flags)
{
    return !(flags & MAP_SHARED) ? NOWHERE : flags & MAP_ANONYMOUS ? IN_PROCESSES : IN_FILES;
}

/* Pages that are mapped anew hold other variables than before. */
static void *mapped(void *block, size_t size, enum shares shares, const void *frame)
{
    if (block == MAP_FAILED)
        return block;
    darn_order_forget((uintptr_t)block, size);
    darn_elsewhere_remove((uintptr_t)block, size);
    if (shares == IN_PROCESSES)
        darn_elsewhere_add_later((uintptr_t)block, size);
    else if (shares == IN_FILES)
        darn_elsewhere_add((uintptr_t)block, size);
    if (darn_state.mode == DARN_MODE_RECORD)
        darn_record_alloc(block, size, 0, frame);
    else if (darn_state.mode == DARN_MODE_LEARN)
        darn_share_forget((uintptr_t)block, size);
    return block;
}

DARN_INTERCEPT_ALONE(void *, mmap, void *at, size_t size, int protection, int flags, int fd,
                     off_t offset)
{
    return mapped(DARN_REAL(mmap)(at, size, protection, flags, fd, offset), size, shares_by(flags),
                  __builtin_frame_address(0));
}

DARN_INTERCEPT_ALONE(void *, mmap64, void *at, size_t size, int protection, int flags, int fd,
                     off64_t offset)
{
    return mapped(DARN_REAL(mmap64)(at, size, protection, flags, fd, offset), size,
                  shares_by(flags), __builtin_frame_address(0));
}

DARN_INTERCEPT_ALONE(void *, shmat, int id, const void *at, int flags)
{
    struct shmid_ds about;
    void *block = DARN_REAL(shmat)(id, at, flags);
    int saved = errno;

    if (block == MAP_FAILED)
        return block;
    mapped(block, shmctl(id, IPC_STAT, &about) == 0 ? about.shm_segsz : 1, IN_FILES,
           __builtin_frame_address(0));
    errno = saved;
    return block;
}

DARN_INTERCEPT_ALONE(int, munmap, void *block, size_t size)
{
    if (darn_gate_end(block, __builtin_frame_address(0)) &&
        darn_quarantine_pages(block, size, DARN_REAL(munmap)))
        return 0;
    if (darn_turns)
        touch_end(block, size, __builtin_frame_address(0));
    if (darn_clocks_kept)
        darn_order_free(darn_thread_peek(), (uintptr_t)block, size, false,
                        __builtin_frame_address(0));
    if (darn_state.mode == DARN_MODE_RECORD)
        darn_record_free(block, size, false, __builtin_frame_address(0));
    else if (darn_state.mode == DARN_MODE_LEARN)
        end_sharing(block, size, false, __builtin_frame_address(0));
    else if (darn_turns && darn_control_wants(DARN_RUN_LEARN))
        darn_learning_forget((uintptr_t)block, size);
    darn_elsewhere_remove((uintptr_t)block, size);
    return DARN_REAL(munmap)(block, size);
}
