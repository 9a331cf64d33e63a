/* The attributes that a thread is created with. */
#ifndef DARN_RUNTIME_ATTRIBUTES_H
#define DARN_RUNTIME_ATTRIBUTES_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the stack begins that they give a thread, and its size; 0 when libc will choose the
 * address. NULL stands for the usual ones. */
uintptr_t darn_attributes_stack(const pthread_attr_t *attributes, size_t *size);

/*
 * Attributes may say which signals the thread blocks from its first instruction on. Then this makes
 * a copy of them which does not, puts the signals into *mask, and returns true; else the thread
 * gets those of its creator, and nothing is done.
 */
bool darn_attributes_without_signals(const pthread_attr_t *attributes, pthread_attr_t *copy,
                                     uint64_t *mask);

#endif
