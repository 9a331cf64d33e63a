/* The accesses of a function: which instructions touch memory that may be shared, and how. */
#ifndef DARN_PLUGIN_ACCESS_H
#define DARN_PLUGIN_ACCESS_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stddef.h>
#include <stdint.h>

#include "plugin/core/plugin_escape.h"

struct darn_plugin_access {
    LLVMValueRef instruction; /* the hook goes right in front of it */
    LLVMValueRef pointer;     /* NULL for a fence; of a wait, the condition variable */
    LLVMValueRef length;      /* for a range: its length, or NULL for a string */
    LLVMValueRef times;       /* another argument that the length depends on, or NULL */
    LLVMValueRef value;       /* for a write: what is written, or NULL; see also pointer.h */
    const char *variable;     /* its name, or NULL: by the pointer */
    uint64_t gaps;            /* see struct darn_site */
    uint32_t size;
    uint16_t flags; /* enum darn_site_flag */
    uint8_t kind;   /* enum darn_site_kind */
    uint8_t extent; /* enum darn_extent, of a range that is a call's; late ones are behind it */
    uint8_t before; /* of an extent that depends on it: the call has returned more than this */
    uint8_t dropped;
    uint8_t often; /* it is in a small loop (often.h) */
    uint8_t extra; /* dropped, but a section needs it: DARN_SITE_EXTRA */
    uint16_t
        shift; /* added to the column: marks at one place of the source have keys of their own */
};

struct darn_accesses {
    struct darn_plugin_access *items;
    size_t count;
    size_t capacity;
};

void darn_accesses_free(struct darn_accesses *accesses);

/* `while (!self->flag.load())` waits for the flag. That `self` is read in each round, too, tells
 * nobody anything: who writes it means another flag. Where the flag is no atomic variable, nobody
 * knows which of the two is waited for. */
enum darn_spin_role { DARN_SPIN_NONE, DARN_SPIN_LEADS, DARN_SPIN_WAITS };

/* Appends the accesses of one function in program order, block by block. `spins` has the reads of
 * its spin loops and their roles; `buffers`: also those of calls that may block (libcalls.h). */
void darn_accesses_collect(struct darn_accesses *accesses, LLVMValueRef function,
                           LLVMTargetDataRef layout, struct darn_plugin_escape *escape,
                           const struct darn_map *spins, int buffers);

/* Whether it is an access like any other: not atomic, volatile, of unknown size, or in a spin loop.
 */
int darn_access_is_plain(const struct darn_plugin_access *access);

/* Whether other threads may be waited for or let go by this instruction. */
int darn_may_synchronize(LLVMValueRef instruction);

#endif
