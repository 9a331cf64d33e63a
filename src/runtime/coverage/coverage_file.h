/* The facts that are in the file already, and those that are put there. */
#ifndef DARN_RUNTIME_COVERAGE_FILE_H
#define DARN_RUNTIME_COVERAGE_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/covered.h"

/* 0 or a negative errno. */
int darn_coverage_file_open(const char *path);

/* What is known of a call of the program: who takes the same lock a million times looks here, and
 * no further. Threads share it and write to it only while something is new. */
struct darn_coverage_call {
    _Atomic uintptr_t pc; /* its return address */
    uint64_t key;
    _Atomic uint32_t seen;   /* a bit for each kind of fact about it alone, */
    _Atomic uint32_t looks;  /* how often it was looked who is near, at the beginning, */
    _Atomic uintptr_t outer; /* and a call that has taken a lock which was held here */
};

/* NULL: another one has its place. */
struct darn_coverage_call *darn_coverage_find(uintptr_t pc);

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
