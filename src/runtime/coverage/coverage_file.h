/* The facts that are in the file already, and those that are put there. */
#ifndef DARN_RUNTIME_COVERAGE_FILE_H
#define DARN_RUNTIME_COVERAGE_FILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "trace/covered.h"

/* 0 or a negative errno. */
int darn_coverage_file_open(const char *path);

/* What is known of a call of the program: who takes the same lock a million times looks here, and
 * no further. Threads share it and write to it only while something is new. One cache line. */
#define DARN_COVERAGE_OUTERS 4
struct darn_coverage_call {
    _Alignas(64) _Atomic uintptr_t pc; /* its return address */
    uint64_t key;
    _Atomic uint32_t seen;  /* a bit for each kind of fact about it alone, */
    _Atomic uint32_t looks; /* how often it was looked who is near, at the beginning, */
    /* and calls that have taken a lock which was held here: the first ones; 0: no more. */
    _Atomic uintptr_t outer[DARN_COVERAGE_OUTERS];
};

#define DARN_COVERAGE_CALLS 4096
extern struct darn_coverage_call darn_coverage_calls[DARN_COVERAGE_CALLS];

static inline struct darn_coverage_call *darn_coverage_cell(uintptr_t pc)
{
    return &darn_coverage_calls[darn_spread(pc) % DARN_COVERAGE_CALLS];
}

/* NULL: another one has its place. */
static inline struct darn_coverage_call *darn_coverage_find(uintptr_t pc)
{
    struct darn_coverage_call *call = darn_coverage_cell(pc);

    return atomic_load_explicit(&call->pc, memory_order_acquire) == pc ? call : NULL;
}

/* The key of a call of the program, by its return address; 0: it is in no file. */
uint64_t darn_coverage_call(uintptr_t pc);

/* A fact about this call alone. */
void darn_coverage_see_call(enum darn_coverage_kind kind, uintptr_t pc);

/* The fact was seen; the first of the two says whether it is known. The sites have numbers
 * (sites.h); calls have keys. */
bool darn_coverage_is_known(enum darn_coverage_kind kind, uint64_t first, uint64_t second);
void darn_coverage_put_sites(enum darn_coverage_kind kind, uint32_t first, uint32_t second);
void darn_coverage_put_calls(enum darn_coverage_kind kind, uint64_t first, uint64_t second);

#endif
