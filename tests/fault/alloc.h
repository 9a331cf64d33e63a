/*
 * A page that `inject` shares with the command whose allocations it lets fail.
 */
#ifndef TESTS_FAULT_ALLOC_H
#define TESTS_FAULT_ALLOC_H

#include <stdatomic.h>
#include <stdbool.h>

#define ALLOC_FAULT_FD "INJECT_ALLOC_FD" /* the variable that names its descriptor */

struct alloc_fault {
    long n; /* the n-th fails; 0: none */
    bool all_from;
    atomic_long calls, injected;
};

#endif
