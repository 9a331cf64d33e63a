/*
 * Mutexes, the short way: for a thread of a healed program that is in no section and holds nothing
 * else, and a mutex that is free, private, and neither recursive nor anything else. That is nearly
 * always so. The mutex is then taken and given back as glibc does it, in a few instructions;
 * whoever has to wait, or is waited for, goes the long way.
 */
#ifndef DARN_RUNTIME_SIMPLE_H
#define DARN_RUNTIME_SIMPLE_H

#include <pthread.h>
#include <stdbool.h>

typedef int darn_mutex_call(pthread_mutex_t *mutex);

/* What is called where the way is not short. */
void darn_simple_open(darn_mutex_call *lock, darn_mutex_call *unlock);

/* Whether a mutex looks as expected when libc has taken it, and given it back. */
bool darn_simple_fits(darn_mutex_call *lock, darn_mutex_call *unlock);

darn_mutex_call darn_simple_lock, darn_simple_unlock;

#endif
