/* Accesses of every size and alignment. */
#include <complex.h>
#include <stdbool.h>

struct __attribute__((packed)) packed {
    char c;
    int i;
    long l;
};
struct units {
    unsigned a : 3, b : 29;
    unsigned char c;
    unsigned long d : 40;
};

bool truth;
char byte;
short half;
_Float16 small;
float single;
double real;
long double extended;
__int128 wide;
_BitInt(77) odd;
double _Complex pair;
void *pointer;
struct packed unaligned;
struct units units;

/* site: sizes write - 1 truth */
/* site: sizes write - 1 byte */
/* site: sizes write - 2 half */
/* site: sizes write - 4 single */
/* site: sizes write - 8 real */
/* site: sizes write - 8 pointer */
void sizes(int n, void *p)
{
    truth = n;
    byte = (char)n;
    half = (short)n;
    single = (float)n;
    real = n;
    pointer = p;
}

/* site: small_float write - 2 small */
void small_float(float f)
{
    small = (_Float16)f;
}

/* site: extended_float write - 10 extended */
void extended_float(long double f)
{
    extended = f;
}

/* site: wide_integer write - 16 wide */
void wide_integer(__int128 i)
{
    wide = i;
}

/* site: odd_integer write - 16 odd */
void odd_integer(long i)
{
    odd += i;
}

/* site: complex_number write - _ pair */
void complex_number(double r, double i)
{
    pair = r + i * I;
}

/* site: packed_field write - 4 unaligned.i */
/* site: packed_field write - 8 unaligned.l */
void packed_field(int n)
{
    unaligned.i = n;
    unaligned.l = n;
}

/* The bit-fields before and after it are other memory locations. */
/* site: between_bits write - 1 units.c */
void between_bits(int n)
{
    units.c = (unsigned char)n;
}

/* site: first_bits write - 4 units.a */
void first_bits(int n)
{
    units.a = (unsigned)n;
}

/* site: last_bits write - 8 units.d */
void last_bits(long n)
{
    units.d = (unsigned long)n;
}
