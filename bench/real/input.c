/*
 * Makes the input of the compressors: a deterministic mix of text, records and noise.
 *
 * usage: input MEGABYTES > FILE
 *
 * Pieces of 64 KiB: half of them words with a skewed distribution, three eighths binary records
 * with fields that change slowly, one eighth random bytes.
 */
#include "../programs/bench.h"

#include <string.h>

enum { PIECE = 64 << 10 };

struct record {
    uint64_t time;
    uint32_t number, kind;
    float value[2];
    uint64_t reserved;
};

static void fill_text(unsigned char *piece, uint64_t *seed)
{
    size_t end = 0;

    while (end < PIECE) {
        uint64_t random = bench_random(seed);
        uint64_t word = bench_mix((random >> 8) % (UINT64_C(4) << (random >> 40) % 14));
        for (size_t i = 0, length = 2 + word % 8; i < length && end < PIECE; i++)
            piece[end++] = (unsigned char)('a' + (word >> (4 + 5 * i)) % 26);
        if (end < PIECE)
            piece[end++] = random % 11 == 0 ? '\n' : ' ';
    }
}

static void fill_records(unsigned char *piece, uint64_t *seed)
{
    struct record record = {.time = 1700000000};

    for (size_t at = 0; at < PIECE; at += sizeof record) {
        uint64_t random = bench_random(seed);
        record.time += random % 1000;
        record.number++;
        record.kind = (uint32_t)(random >> 16) % 7;
        record.value[0] = (float)((random >> 24) % 4096) / 16;
        record.value[1] = record.value[0] * 2;
        memcpy(piece + at, &record, sizeof record);
    }
}

static void fill_noise(unsigned char *piece, uint64_t *seed)
{
    for (size_t i = 0; i < PIECE; i++)
        piece[i] = (unsigned char)(bench_random(seed) >> 32);
}

int main(int argc, char **argv)
{
    static unsigned char piece[PIECE];
    size_t pieces = (size_t)(argc > 1 ? atol(argv[1]) : 1) * (1 << 20) / PIECE;
    uint64_t seed = 1;

    for (size_t i = 0; i < pieces; i++) {
        if (i % 8 == 7)
            fill_noise(piece, &seed);
        else if (i % 2 == 0)
            fill_text(piece, &seed);
        else
            fill_records(piece, &seed);
        if (fwrite(piece, 1, PIECE, stdout) != PIECE) {
            perror("input");
            return 1;
        }
    }
    return 0;
}
