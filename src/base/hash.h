/* FNV-1a, for tables and fingerprints: the same in every process and on every machine. */
#ifndef DARN_BASE_HASH_H
#define DARN_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define DARN_HASH_START UINT64_C(0xcbf29ce484222325)

static inline uint64_t darn_hash_byte(uint64_t hash, unsigned char byte)
{
    return (hash ^ byte) * UINT64_C(0x100000001b3);
}

static inline uint64_t darn_hash_number(uint64_t hash, uint32_t number)
{
    for (int shift = 0; shift < 32; shift += 8)
        hash = darn_hash_byte(hash, (unsigned char)(number >> shift));
    return hash;
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

#endif
