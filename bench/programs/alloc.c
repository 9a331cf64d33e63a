/*
 * Allocation-heavy: many small blocks that are freed by other threads than those that made them.
 *
 * Four threads. Each allocates a block of 16 to 527 bytes, writes to it, exchanges it atomically
 * for what lies in a random slot of a shared table, and reads and frees what it got. The sum over
 * all blocks that were ever freed does not depend on who freed them.
 */
#include "bench.h"

#include <stdatomic.h>
#include <string.h>

enum { THREADS = 4, SLOTS = 1 << 12 };

struct block {
    uint64_t size, value;
    unsigned char bytes[];
};

static _Atomic(struct block *) table[SLOTS];
static size_t rounds;
static _Alignas(64) uint64_t sums[THREADS][8];

static struct block *block_new(uint64_t random)
{
    size_t size = random >> 32 & 511;
    struct block *block = malloc(sizeof *block + size);

    if (block == NULL)
        exit(1);
    block->size = size;
    block->value = random;
    memset(block->bytes, (int)(random & 127), size);
    return block;
}

static uint64_t block_digest(const struct block *block)
{
    uint64_t digest = block->value;
    for (size_t i = 0; i < block->size; i += 16)
        digest += bench_mix(i + block->bytes[i]);
    return digest;
}

static void *work(void *arg)
{
    size_t self = (uintptr_t)arg;
    uint64_t seed = bench_mix(self);
    uint64_t sum = 0;

    for (size_t i = 0; i < rounds; i++) {
        uint64_t random = bench_random(&seed);
        struct block *block = block_new(random);
        block =
            atomic_exchange_explicit(&table[(random >> 8) % SLOTS], block, memory_order_acq_rel);
        if (block != NULL) {
            sum += block_digest(block);
            free(block);
        }
    }
    sums[self][0] = sum;
    return NULL;
}

int main(int argc, char **argv)
{
    uint64_t sum = 0;

    rounds = bench_scaled(argc, argv, 1000000);
    bench_threads(THREADS, work);
    for (size_t i = 0; i < SLOTS; i++) {
        struct block *block = atomic_load_explicit(&table[i], memory_order_relaxed);
        if (block != NULL)
            sum += block_digest(block);
        free(block);
    }
    for (size_t i = 0; i < THREADS; i++)
        sum += sums[i][0];
    bench_print(sum);
    return 0;
}
