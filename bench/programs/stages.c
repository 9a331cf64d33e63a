/*
 * A pipeline whose stages hand over by flags: rings of blocks with a flag each, nothing else.
 *
 * Three stages, three threads: one fills blocks, one transforms them, one digests them. The flag of
 * a place says whose the block is; both sides wait for it to change.
 *
 * spin: EMPTY from DRAIN
 * spin: FULL from FILL
 */
#include "bench.h"
#include "byhand.h"

enum { STAGES = 3, PLACES = 8, WORDS = 512 };

struct place {
    VAR int full;
    uint64_t words[WORDS];
};

static struct place rings[STAGES - 1][PLACES];
static size_t blocks;
static uint64_t digest, counts[256];

static struct place *wait_empty(struct place *place)
{
    while (place->full) /* spin: EMPTY */
        hand_wait();
    ORDER();
    return place;
}

static struct place *wait_full(struct place *place)
{
    while (!place->full) /* spin: FULL */
        hand_wait();
    ORDER();
    return place;
}

static void give(struct place *place)
{
    ORDER();
    place->full = 1; /* spin: FILL */
}

static void give_back(struct place *place)
{
    ORDER();
    place->full = 0; /* spin: DRAIN */
}

static void fill(size_t block)
{
    struct place *to = wait_empty(&rings[0][block % PLACES]);
    uint64_t random = bench_mix(block);

    for (size_t i = 0; i < WORDS; i++)
        to->words[i] = bench_random(&random);
    give(to);
}

static void transform(size_t block)
{
    struct place *from = wait_full(&rings[0][block % PLACES]);
    struct place *to = wait_empty(&rings[1][block % PLACES]);
    uint64_t carry = block;

    for (size_t i = 0; i < WORDS; i++) {
        carry = (carry ^ from->words[i]) * UINT64_C(1099511628211);
        to->words[i] = carry ^ from->words[WORDS - 1 - i];
    }
    give_back(from);
    give(to);
}

static void digest_block(size_t block)
{
    struct place *from = wait_full(&rings[1][block % PLACES]);

    for (size_t i = 0; i < WORDS; i++) {
        digest = bench_mix(digest ^ from->words[i]);
        counts[from->words[i] % 256]++;
    }
    give_back(from);
}

static void *stage(void *arg)
{
    static void (*const work[STAGES])(size_t block) = {fill, transform, digest_block};
    size_t self = (uintptr_t)arg;

    for (size_t block = 0; block < blocks; block++)
        work[self](block);
    return NULL;
}

int main(int argc, char **argv)
{
    blocks = bench_scaled(argc, argv, 150000);
    bench_threads(STAGES, stage);
    for (size_t i = 0; i < 256; i++)
        digest += bench_mix(i) * counts[i];
    bench_print(digest);
    return 0;
}
