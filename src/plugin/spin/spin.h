/*
 * Spin loops: loops that do nothing but wait for another thread to change what they read (Tian,
 * section 3).
 *
 * A loop is one if its rounds have no effect on others and are all alike (see quiet.h for what it
 * may do), and if reads in it decide whether it goes on:
 *
 *     while (!flag) pause();                      the read of flag
 *     while (node->next->locked);                 both reads
 *     while (exchange(&lock, 1)) while (lock);    the read in the inner loop
 *     while (exchange(&lock, 1));                 the exchange
 *
 * Not spin loops: those that walk through memory (strlen, p = p->next), and retries that write what
 * they computed from what they read (do old = n; while (!compare_exchange(&n, old, old + 1))).
 */
#ifndef DARN_PLUGIN_SPIN_H
#define DARN_PLUGIN_SPIN_H

#include <llvm-c/Core.h>

#include "base/map.h"
#include "plugin/core/access.h"

struct darn_spins {
    struct darn_map reads; /* loads and atomic updates -> enum darn_spin_role */
};

/* Puts small functions that read (is_set(&flag), std::atomic<T>::load at -O0) in the place of their
 * calls where a loop that may be a spin loop calls them: a loop waits where it stands, and the
 * function itself may be somebody else's copy after linking. `is_watched` says which functions are
 * instrumented. */
void darn_spins_prepare(LLVMModuleRef module, int (*is_watched)(LLVMValueRef function));

/* Finds the spin reads of a function and adds them. */
void darn_spins_find(struct darn_spins *spins, LLVMValueRef function);

void darn_spins_free(struct darn_spins *spins);

#endif
