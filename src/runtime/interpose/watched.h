/*
 * Mutexes, the short way of a run that is watched and nothing else (no noise, no trace, no
 * sections, nothing is healed): for a mutex that is free and plain. It is taken and given back as
 * glibc does it, and written down with a few stores, if the clocks have nothing new to learn.
 *
 * A call that is long costs more than its own instructions: while it runs, the processor cannot
 * begin to load what the program will want next.
 */
#ifndef DARN_RUNTIME_WATCHED_H
#define DARN_RUNTIME_WATCHED_H

#include <stdbool.h>

#include "runtime/interpose/simple.h"

/* Whether the short way may be taken in this run. */
bool darn_watched_fits(darn_mutex_call *real_lock, darn_mutex_call *real_unlock);

/* What is called where the way is not short. */
void darn_watched_open(darn_mutex_call *lock, darn_mutex_call *unlock,
                       darn_mutex_call *real_unlock);

darn_mutex_call darn_watched_lock, darn_watched_unlock;

#endif
