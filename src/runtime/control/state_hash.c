#define _GNU_SOURCE
#include "runtime/control/state_hash.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "base/hash.h"
#include "runtime/control/control.h"
#include "runtime/control/slots.h"
#include "runtime/os/os.h"
#include "runtime/os/real_function.h"
#include "runtime/report/maps.h"

#define PAGE       4096
#define CHUNK      1024 /* pages that are asked for at once */
#define HOLES      (8u << 10)
#define MOST_PAGES (256u << 10)
#define SHADOW     (UINT64_C(1) << 40) /* so large is nothing but what sanitizers reserve */
#define RSEQ_BYTES 32

/* What is left out. */
static struct hole {
    uintptr_t start, end;
} holes[HOLES];
static uint32_t hole_count;

static const ptrdiff_t *rseq; /* libc's offset from the thread pointer; NULL: it has none */

static uint64_t all;
static uint32_t pages;
static bool is_complete;

uint64_t darn_state_hash_words(uint64_t hash, const void *from, size_t bytes)
{
    const char *at = from;
    uint64_t word;

    for (; bytes >= sizeof(word); bytes -= sizeof(word), at += sizeof(word)) {
        memcpy(&word, at, sizeof(word));
        hash = darn_fold(hash, word);
    }
    return hash;
}

static void leave_out(uintptr_t start, uintptr_t end)
{
    if (start >= end)
        return;
    if (hole_count < HOLES)
        holes[hole_count++] = (struct hole){start, end};
    else
        is_complete = false;
}

/* The unwinder keeps accounts of what it has found. */
static int leave_out_unwinder(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    for (int i = 0; strstr(info->dlpi_name, "libgcc_s") && i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + header->p_vaddr;

        if (header->p_type == PT_LOAD && header->p_flags & PF_W)
            leave_out(start, start + header->p_memsz);
    }
    return 0;
}

/* Where nobody is any more, and the words in which the kernel says which processor it is. */
static void leave_out_stack(struct darn_maps *maps, const struct darn_slot *slot)
{
    uintptr_t below = darn_maps_start(maps, (uintptr_t)slot->frame);
    const struct darn_thread *thread = slot->thread;

    /* That of the main thread begins where the kernel has let it grow to. */
    leave_out(below > thread->stack_start ? below : thread->stack_start,
              (uintptr_t)slot->frame + 16);
    if (rseq && thread->id)
        leave_out(thread->id + (uintptr_t)*rseq, thread->id + (uintptr_t)*rseq + RSEQ_BYTES);
}

static void find_holes(struct darn_maps *maps)
{
    static bool knows_rseq;
    uintptr_t block = (uintptr_t)darn_control;

    if (!knows_rseq) /* the loader counts each look-up, in memory that is not ours */
        rseq = dlsym(RTLD_DEFAULT, "__rseq_offset");
    knows_rseq = true;
    hole_count = 0;
    leave_out(block, block + ((sizeof(*darn_control) + PAGE - 1) & ~(uintptr_t)(PAGE - 1)));
    darn_os_each_own(leave_out);
    darn_real_modules(leave_out_unwinder, NULL);
    for (uint32_t i = 0; i < darn_slot_end; i++) {
        if (darn_slot_is_used(&darn_slots[i]))
            leave_out_stack(maps, &darn_slots[i]);
    }
}

static const struct hole *first_hole(uintptr_t start, uintptr_t end)
{
    const struct hole *first = NULL;

    for (uint32_t i = 0; i < hole_count; i++) {
        if (holes[i].start < end && holes[i].end > start &&
            (!first || holes[i].start < first->start))
            first = &holes[i];
    }
    return first;
}

/* A part without holes. Pages that were never touched are all zeroes. */
static void add_part(uintptr_t start, uintptr_t end)
{
    unsigned char are[CHUNK];

    while (start < end && is_complete) {
        uintptr_t page = start & ~(uintptr_t)(PAGE - 1), next;
        size_t count = (end - page + PAGE - 1) / PAGE;

        count = count < CHUNK ? count : CHUNK;
        is_complete &= darn_os_are_present(page, count, are) == 0;
        for (size_t i = 0; i < count && is_complete; i++, page += PAGE, start = next) {
            next = end < page + PAGE ? end : page + PAGE;
            if (!(are[i] & 1))
                continue;
            all = darn_state_hash_words(all, &start, sizeof(start));
            all = darn_state_hash_words(all, (const void *)start, next - start);
            is_complete &= ++pages < MOST_PAGES;
        }
    }
}

static void add_mapping(uintptr_t start, uintptr_t end, bool shared)
{
    const struct hole *hole;

    if (end - start >= SHADOW)
        return;
    while (start < end) {
        uintptr_t until;

        hole = first_hole(start, end);
        until = !hole ? end : hole->start > start ? hole->start : start;
        is_complete &= !shared || until == start;
        add_part(start, until);
        start = hole ? hole->end : end;
    }
}

bool darn_state_hash_memory(uint64_t *hash)
{
    struct darn_maps *maps = darn_maps_read();

    all = DARN_HASH_START;
    pages = 0;
    is_complete = maps;
    find_holes(maps);
    darn_maps_each_writable(maps, add_mapping);
    *hash = all;
    return is_complete;
}
