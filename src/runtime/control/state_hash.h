/* All memory of the program in one number. */
#ifndef DARN_RUNTIME_STATE_HASH_H
#define DARN_RUNTIME_STATE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whole words of `from`, added to a hash that began with DARN_HASH_START. */
uint64_t darn_state_hash_words(uint64_t hash, const void *from, size_t bytes);

/*
 * All that the threads of a controlled run could read, whoever has written it: variables, heap,
 * stacks. Not what is below the frames in which they stand, nor what is ours. All of them stand at
 * a step. False: too much, or other processes have a part in it.
 */
bool darn_state_hash_memory(uint64_t *hash);

#endif
