/*
 * Makes the input of the compressors: a deterministic mix of text, records and noise; or a film.
 *
 * usage: input MEGABYTES > FILE
 *        input FRAMES .yuv > FILE
 *
 * Pieces of 64 KiB: half of them words with a skewed distribution, three eighths binary records
 * with fields that change slowly, one eighth random bytes. The film has 352x288 points and 4:2:0
 * colours: a gradient and a pattern of blocks, which move in different directions.
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

enum { WIDTH = 352, HEIGHT = 288 };

static int put_frame(unsigned n)
{
    static unsigned char frame[WIDTH * HEIGHT * 3 / 2];

    memset(frame, 128, sizeof frame);
    for (unsigned y = 0; y < HEIGHT; y++) {
        for (unsigned x = 0; x < WIDTH; x++) {
            unsigned block = (x + 2 * n) / 16 * 37 + (y + n) / 16 * 91;
            frame[y * WIDTH + x] = (unsigned char)((3 * x + 2 * y + 5 * n) ^ block);
        }
    }
    return fwrite(frame, 1, sizeof frame, stdout) == sizeof frame ? 0 : -1;
}

static int put_piece(size_t i, uint64_t *seed)
{
    static unsigned char piece[PIECE];

    if (i % 8 == 7)
        fill_noise(piece, seed);
    else if (i % 2 == 0)
        fill_text(piece, seed);
    else
        fill_records(piece, seed);
    return fwrite(piece, 1, PIECE, stdout) == PIECE ? 0 : -1;
}

int main(int argc, char **argv)
{
    size_t amount = (size_t)(argc > 1 ? atol(argv[1]) : 1);
    size_t parts = argc > 2 ? amount : amount * (1 << 20) / PIECE;
    uint64_t seed = 1;

    for (size_t i = 0; i < parts; i++) {
        if ((argc > 2 ? put_frame((unsigned)i) : put_piece(i, &seed)) != 0) {
            perror("input");
            return 1;
        }
    }
    return 0;
}
