/* Integers of all widths, up to 128 bits, with every operation that has a trap or a flag. */
#include <stdio.h>
#include <stdint.h>

__int128 wide;
unsigned __int128 product;
uint64_t state = 88172645463325252u, mixed[16];
int64_t quotients[8];
int32_t narrow;
int16_t half;
int8_t byte;
_Bool carry;

static uint64_t next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static uint64_t rotate(uint64_t x, unsigned by)
{
    return x << (by & 63) | x >> (-by & 63);
}

static int overflows(void)
{
    int count = 0;

    for (int i = 0; i < 100; i++) {
        int32_t a = (int32_t)next(), b = (int32_t)next();

        count += __builtin_add_overflow(a, b, &narrow);
        count += 3 * __builtin_mul_overflow((int16_t)a, (int16_t)(b >> 8), &half);
        count += 5 * __builtin_sub_overflow((int8_t)a, (int8_t)b, &byte);
    }
    return count;
}

int main(void)
{
    for (int i = 0; i < 16; i++)
        mixed[i] = rotate(next(), (unsigned)i * 5);
    for (int i = 0; i < 8; i++)
        quotients[i] = (int64_t)mixed[i] / (int64_t)(mixed[i + 8] >> 40 | 1) % (i + 3);
    product = 1;
    for (int i = 0; i < 16; i++)
        product = product * mixed[i] + (product >> 64);
    wide = (__int128)product / 1000000007 - (__int128)mixed[3];
    for (int i = 0; i < 4; i++) {
        uint64_t sum;

        carry = __builtin_add_overflow(mixed[i], mixed[i + 4], &sum);
        mixed[i] = sum + carry;
    }
    printf("%lx %lx\n", (unsigned long)(product >> 64), (unsigned long)product);
    printf("%lx %lx\n", (unsigned long)(wide >> 64), (unsigned long)wide);
    printf("%lx %ld %d\n", (unsigned long)mixed[2], (long)quotients[5], overflows());
    printf("%d %d %d %d\n", narrow, half, byte, carry);
    return 0;
}
