/* Hashes. FNV-1a is for fingerprints, and the same in every process and on every machine. */
#ifndef DARN_BASE_HASH_H
#define DARN_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define DARN_HASH_START UINT64_C(0xcbf29ce484222325)
#define DARN_HASH_PRIME UINT64_C(0x100000001b3)

static inline uint64_t darn_hash_byte(uint64_t hash, unsigned char byte)
{
    return (hash ^ byte) * DARN_HASH_PRIME;
}

static inline uint64_t darn_hash_number(uint64_t hash, uint32_t number)
{
    for (int shift = 0; shift < 32; shift += 8)
        hash = darn_hash_byte(hash, (unsigned char)(number >> shift));
    return hash;
}

static inline uint64_t darn_hash_word(uint64_t hash, uint64_t word)
{
    return darn_hash_number(darn_hash_number(hash, (uint32_t)word), (uint32_t)(word >> 32));
}

static inline uint64_t darn_hash_bytes(uint64_t hash, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        hash = darn_hash_byte(hash, (unsigned char)bytes[i]);
    return hash;
}

/* With its end: "ab", "c" is not "a", "bc". */
static inline uint64_t darn_hash_string(uint64_t hash, const char *text)
{
    while (*text)
        hash = darn_hash_byte(hash, (unsigned char)*text++);
    return darn_hash_byte(hash, 0xff);
}

/* 2^64 divided by the golden ratio. */
#define DARN_HASH_GOLDEN UINT64_C(0x9e3779b97f4a7c15)

/* The rest is for tables in memory: nobody keeps these numbers. */

/* Fibonacci hashing: spreads the bits of a key over the result, of so many bits: at most 32. */
static inline uint32_t darn_spread_to(uint64_t key, unsigned bits)
{
    return (uint32_t)((key * DARN_HASH_GOLDEN) >> (64 - bits));
}

static inline uint32_t darn_spread(uint64_t key)
{
    return darn_spread_to(key, 32);
}

/* A hash of several words, one after the other: one multiplication for each. */
static inline uint64_t darn_fold(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * DARN_HASH_GOLDEN;
    return hash ^ hash >> 29;
}

/* Changes about half of the bits for each bit of the input: what is added up needs that. */
static inline uint64_t darn_mix(uint64_t number)
{
    number = (number ^ (number >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    number = (number ^ (number >> 27)) * UINT64_C(0x94d049bb133111eb);
    return number ^ (number >> 31);
}

/* A hash of the two in this order. */
static inline uint64_t darn_mix_two(uint64_t a, uint64_t b)
{
    return darn_mix(a * DARN_HASH_GOLDEN + b + UINT64_C(0x632be59bd9b4e019));
}

#endif
