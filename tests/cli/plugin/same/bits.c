/* Bit-fields, packed structures, unions, and arithmetic on bits. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct flags {
    unsigned low : 3;
    int sign : 5;
    unsigned long middle : 40;
    _Bool on : 1;
    unsigned : 0;
    unsigned char last : 7;
};
struct __attribute__((packed)) header {
    uint8_t kind;
    uint32_t length;
    uint16_t check;
    int64_t stamp;
};
union any {
    uint64_t word;
    double real;
    unsigned char bytes[8];
    struct {
        uint32_t low, high;
    };
};

struct flags flags;
struct header header, headers[3];
union any any;
uint32_t table[256];

static uint32_t checksum(const void *data, size_t n)
{
    const unsigned char *p = data;
    uint32_t crc = ~0u;

    while (n--)
        crc = crc >> 8 ^ table[(crc ^ *p++) & 255];
    return ~crc;
}

int main(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int j = 0; j < 8; j++)
            table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
    }
    for (int i = 0; i < 100; i++) {
        flags.low++;
        flags.sign -= 3;
        flags.middle = (flags.middle << 3) + (unsigned long)i;
        flags.on = !flags.on || i % 3 == 0;
        flags.last ^= (unsigned char)(i & 127);
    }
    printf("%u %d %lx %d %u\n", flags.low, flags.sign, (unsigned long)flags.middle, flags.on,
           flags.last);
    header = (struct header){1, 0x12345678, 0xabcd, -5};
    for (int i = 0; i < 3; i++) {
        headers[i] = header;
        headers[i].length += (uint32_t)i;
        headers[i].stamp *= i + 2;
        headers[i].check = (uint16_t)(headers[i].check << i | headers[i].check >> (16 - i));
    }
    printf("%08x %08x\n", checksum(headers, sizeof(headers)), checksum("123456789", 9));
    any.real = -1.5;
    any.bytes[0] = 7;
    any.low |= 0x100;
    printf("%016lx %08x\n", (unsigned long)any.word, any.high);
    printf("%d %d %d\n", __builtin_popcountl(any.word), __builtin_clz(any.high),
           __builtin_ctz(any.low));
    return 0;
}
